/** A gateway with tools for MCP clients. */
import type { Store } from '@holdpoint/core'
import { serve, type Served, type ServeOptions } from '@holdpoint/gateway'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, ask, askUser, holdpoint, tool, type Runtime, type Tool } from 'holdpoint'
import { z } from 'zod'
import { createMcpServer, type OwnMcpServerOptions } from '../src/index.ts'

export const KEY = 'hp_for_agents_0123456789abcdefghijklmnopqrstuv'
export const RESOLVER = 'hp_for_resolvers_0123456789abcdefghijklmnopqr'
export const OTHER = 'hp_of_another_tenant_0123456789abcdefghijklmn'
export const READER = 'hp_for_readers_0123456789abcdefghijklmnopqrst'

const WHERE = {
  type: 'object',
  properties: { where: { type: 'string', enum: ['prod', 'test'] } },
  required: ['where'],
} as const

const add = tool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  run: ({ input }) => ({ sum: input.a + input.b }),
})

/** Asks two questions during the call. */
const deploy = tool({
  name: 'deploy',
  description: 'Deploys something',
  input: z.object({ what: z.string() }),
  run: ({ input, resumed }) => {
    if (!resumed) return ask({ prompt: `Where to deploy ${input.what}?`, schema: WHERE, state: { step: 1 } })
    const { answer, state } = resumed
    if (answer?.kind !== 'answer' || 'error' in answer) return `not deployed: ${answer?.kind}`
    const { step, where } = state as { step: number; where?: string }
    if (step === 1) {
      const chosen = (answer.value as { where: string }).where
      return ask({ prompt: `Really ${chosen}?`, state: { step: 2, where: chosen } })
    }
    return `deployed ${input.what} to ${where}: ${answer.value as string}`
  },
})

const sign = tool({
  name: 'sign',
  description: 'Has something signed on a page',
  input: z.object({}),
  run: ({ resumed }) =>
    resumed ? `signed: ${resumed.answer?.kind}` : ask({ prompt: 'Sign here', url: 'https://sign.acme.test/7' }),
})

const name = tool({
  name: 'name',
  description: 'Asks for a name',
  input: z.object({}),
  run: () => askUser('What is your name?'),
})

const pay = tool({
  name: 'pay',
  description: 'Pays',
  input: z.object({ amount: z.number() }),
  approval: 'required',
  run: ({ input }) => `paid ${input.amount}`,
})

const count = tool({
  name: 'count',
  description: 'Counts aloud',
  input: z.object({}),
  streaming: true,
  run: async ({ progress }) => {
    for (let n = 1; n <= 3; n++) {
      progress({ progress: n, total: 3, message: `at ${n}` })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return 'counted'
  },
})

const HELPS = 'I am here to help.'

export interface TestServer {
  readonly served: Served
  readonly runtime: Runtime
  readonly url: string
  close(): Promise<void>
}

export async function startServer(
  store: Store,
  more: Partial<OwnMcpServerOptions> & {
    readonly port?: number
    readonly gateway?: Partial<ServeOptions>
    /** The script of the agent. */
    readonly helper?: readonly Script[]
  } = {},
): Promise<TestServer> {
  const { port = 0, gateway = {}, helper: scripts = Array.from({ length: 20 }, () => HELPS), ...options } = more
  const tools = [add, deploy, sign, name, pay, count] as readonly Tool[]
  const ownServer = createMcpServer({ store, tools, agents: [{ name: 'helper' }], patienceMs: 300, ...options })
  const helper = agent({ name: 'helper', model: scriptedModel(scripts), tools: [name] })
  const runtime = await holdpoint({ store, agents: [ownServer.agent, helper] })
  const served = await serve({
    runtime,
    store,
    port,
    host: '127.0.0.1',
    mcp: { ownServer },
    auth: {
      keys: [
        { key: KEY, scopes: ['agent'] },
        { key: RESOLVER, scopes: ['agent', 'resolver'] },
        { key: OTHER, tenant: 'other', scopes: ['agent'] },
        { key: READER, scopes: ['reader'] },
      ],
    },
    ...gateway,
  })
  return {
    served,
    runtime,
    url: `${served.url}/mcp`,
    close: async () => {
      await served.close()
      await ownServer.close()
    },
  }
}

export function withKey(
  url: string,
  key = KEY,
): { readonly name: 'far'; readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  return { name: 'far', url, headers: { authorization: `Bearer ${key}` } }
}
