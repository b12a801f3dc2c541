/**
 * A gateway in this process that uses MCP servers: `tracker` is well, says of its tools what a test wants, and has one that
 * cannot be offered; `files` is away; `calendar` nobody needs.
 */
import { fileURLToPath } from 'node:url'
import { memoryStore } from '@holdpoint/core'
import { serve, siteFromFolder } from '@holdpoint/gateway'
import { mcpServers } from '@holdpoint/mcp'
import { scriptedModel, type ScriptedModel } from '@holdpoint/testing'
import { agent, holdpoint } from 'holdpoint'
import { ECHO, rawServer } from '../../../test/raw-mcp-server.ts'

/** Lists are asked for again after five minutes. */
const LONGER_THAN_A_LIST_LASTS = 301_000

export interface McpStage {
  /** Lets the console in, once. */
  readonly consoleUrl: string
  readonly url: string
  readonly model: ScriptedModel
  /** `tracker` says this of its tool `find`, and an agent has asked it since. */
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
      // What is stale is shown once more while it is asked for, so the next one meets the new list.
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
