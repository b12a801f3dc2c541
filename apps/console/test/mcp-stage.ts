/**
 * A gateway in this process that uses two MCP servers: a test sets the description of a tool of `tracker`, which also has
 * a tool that is refused; `files` is unreachable.
 */
import { fileURLToPath } from 'node:url'
import { memoryStore } from '@holdpoint/core'
import { serve, siteFromFolder } from '@holdpoint/gateway'
import { mcpServers } from '@holdpoint/mcp'
import { scriptedModel, type ScriptedModel } from '@holdpoint/testing'
import { agent, holdpoint } from 'holdpoint'
import { ECHO, rawServer } from '../../../test/raw-mcp-server.ts'

/** The gateway requests a list of tools again after five minutes. */
const LONGER_THAN_A_LIST_LASTS = 301_000

export interface McpStage {
  /** An address with a code that signs in one browser. */
  readonly consoleUrl: string
  readonly url: string
  readonly model: ScriptedModel
  /** Sets the description of `find` of `tracker`, and waits until an agent has requested the list of tools. */
  says(description: string): Promise<void>
  close(): Promise<void>
}

export async function mcpStage(): Promise<McpStage> {
  const [tracker, files] = [await rawServer(), await rawServer()]
  await files.close()
  let now = Date.now()
  const store = memoryStore({ now: Date.now })
  const mcp = mcpServers({
    store,
    servers: [
      { name: 'tracker', url: tracker.url },
      { name: 'files', url: files.url },
    ],
    now: () => now,
  })
  const model = scriptedModel(Array.from({ length: 20 }, () => 'Well.'))
  const desk = agent({ name: 'desk', model, plugins: [mcp.plugin] })
  const runtime = await holdpoint({ store, agents: [desk] })
  const site = siteFromFolder(fileURLToPath(new URL('../../../packages/gateway/console', import.meta.url)))
  const served = await serve({ runtime, store, mcp: { servers: mcp }, site, openConsole: true })
  let times = 0
  return {
    consoleUrl: served.consoleUrl ?? '',
    url: served.url,
    model,
    says: async (description) => {
      tracker.tools = [
        { ...ECHO, name: 'find', description },
        { ...ECHO, name: 'everything', description: 'x'.repeat(20_000) },
      ]
      now += LONGER_THAN_A_LIST_LASTS
      const before = tracker.asked.length
      // The first message still uses the old list while the new one is requested. The next message uses the new list.
      for (let n = 0; n < 50 && tracker.asked.length === before; n++) await runtime.send(`c${times++}`, 'Hello')
      await runtime.send(`c${times++}`, 'And now?')
    },
    close: async () => {
      await served.close()
      await mcp.close()
      await tracker.close()
    },
  }
}
