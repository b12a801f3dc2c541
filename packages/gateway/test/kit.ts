/** A gateway on a memory store, with a key of each scope in two tenants, and an agent whose tools wait in every way. */
import { agent, holdpoint, memoryStore, tool, type Model, type Runtime, type Store } from 'holdpoint'
import { z } from 'zod'
import { gateway, serve, type Gateway, type GatewayOptions, type McpPorts } from '@holdpoint/gateway'
import type { Scope } from '@holdpoint/protocol'
import { agentsMadeHere } from '../src/agents-made-here.ts'

export type Tenant = 'acme' | 'umbrella'
const TENANTS = ['acme', 'umbrella'] as const
export const SCOPES = ['admin', 'agent', 'worker', 'resolver', 'reader'] as const

export interface Kit {
  readonly door: Gateway
  readonly runtime: Runtime
  readonly store: Store
  /** What the refund tool was run with. */
  readonly ran: readonly unknown[]
  key(tenant: Tenant, scope: Scope): string
  /** A JSON request with the key of a scope, admin unless said. */
  ask(method: string, path: string, options?: AskOptions): Promise<Told>
  close(): Promise<void>
}

export interface AskOptions {
  readonly body?: unknown
  readonly as?: Scope | 'nobody'
  readonly tenant?: Tenant
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Told {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly headers: Headers
}

const ship = tool({
  name: 'ship',
  description: 'Ship a parcel',
  executor: 'external',
  timeout: '1 h',
  input: z.object({ to: z.string() }),
  output: z.object({ parcel: z.string() }),
})
const ask = tool({
  name: 'ask',
  description: 'Ask a person',
  executor: 'human',
  timeout: '1 h',
  input: z.object({ question: z.string() }),
})

/** Does what it is told: "ship Ada" calls the tool, "in room ask size" does it there; anything else is said back. */
export const obedient: Model = {
  id: 'obedient',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const text = last?.role === 'user' ? JSON.stringify(last.parts) : ''
    const [, space, verb, what, more] = /(?:in (\w+) )?(ship|refund|ask) (\w+) ?(\w+)?/.exec(text) ?? []
    if (verb !== undefined) {
      if (space !== undefined) yield { type: 'call', id: 'c0', name: 'enter_space', input: JSON.stringify({ space }) }
      const note = more === undefined ? {} : { note: more }
      const input = JSON.stringify(INPUTS[verb]?.(what) ?? { euros: Number(what), ...note })
      yield { type: 'call', id: 'c1', name: verb, input }
      yield { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
      return
    }
    for (const delta of ['It ', 'is ', 'done.']) yield { type: 'text', id: 't', delta }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

/** One tenant has an MCP server, one of whose tools was changed. */
const mcpOfAcme: NonNullable<McpPorts['servers']> = {
  status: async (tenant) =>
    tenant === 'acme'
      ? [
          {
            name: 'tracker',
            at: 'https://tracker.acme.test/mcp',
            transport: 'http',
            health: 'ready',
            tools: [{ name: 'tracker.find', tool: 'find', fingerprint: '0'.repeat(64) }],
            refused: [],
          },
        ]
      : [],
  accept: async ({ tenant, tool: name, fingerprint }) => {
    if (tenant !== 'acme' || name !== 'find') return 'unknown'
    return fingerprint === '1'.repeat(64) ? 'accepted' : 'changed-again'
  },
}

const INPUTS: Readonly<Record<string, (what: string | undefined) => object>> = {
  ship: (to) => ({ to }),
  ask: (question) => ({ question }),
}

export interface KitOptions extends Partial<GatewayOptions> {
  readonly model?: Model
  /** For agents that are made over HTTP. With them, a message must say whose conversation it begins. */
  readonly models?: Readonly<Record<string, Model>>
  /** Over a real port, and not from function to function. */
  readonly socket?: boolean
}

export async function kit(options: KitOptions = {}): Promise<Kit> {
  const { model = obedient, models, socket = false, ...rest } = options
  const store = memoryStore({ now: Date.now })
  const ran: unknown[] = []
  const refund = tool({
    name: 'refund',
    description: 'Give money back',
    input: z.looseObject({ euros: z.number() }),
    approval: 'required',
    run: ({ input }) => {
      ran.push(input)
      return `${input.euros} euros`
    },
  })
  const desk = agent({ name: 'desk', model, tools: [ship, refund, ask] })
  const made = models && agentsMadeHere(store, { models })
  const runtime = await holdpoint({ store, agents: [desk], ...(made && { agentFor: made.agentFor }) })
  const log = (): void => {}
  const read = made && { readAgent: made.read }
  const settings = { runtime, store, agents: [desk], log, mcp: { servers: mcpOfAcme }, ...read, ...rest }
  const served = socket ? await serve(settings) : undefined
  const door = served?.gateway ?? gateway(settings)
  const origin = served?.url ?? 'http://localhost'
  const keys = new Map<string, string>()
  for (const tenant of TENANTS)
    for (const scope of SCOPES)
      keys.set(`${tenant}/${scope}`, (await door.keys.create(tenant, { name: scope, scopes: [scope] })).key)
  const key = (tenant: Tenant, scope: Scope): string => keys.get(`${tenant}/${scope}`) ?? ''
  return {
    door,
    runtime,
    store,
    ran,
    key,
    ask: async (method, path, { body, as = 'admin', tenant = 'acme', key: once, headers } = {}) => {
      const response = await (served ? fetch : door.fetch)(
        new Request(`${origin}${path}`, {
          method,
          headers: {
            ...(as !== 'nobody' && { authorization: `Bearer ${key(tenant, as)}` }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(once !== undefined && { 'idempotency-key': once }),
            ...headers,
          },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
      const text = await response.text()
      const isJson = (response.headers.get('content-type') ?? '').includes('json')
      return {
        status: response.status,
        body: isJson && text !== '' ? JSON.parse(text) : text,
        headers: response.headers,
      }
    },
    close: async () => {
      await (served ?? door).close()
      await runtime.close()
    },
  }
}

/** A conversation that waits for a parcel to be shipped, and the id of the call. */
export async function shipping({ ask }: Kit, id: string, tenant: Tenant = 'acme'): Promise<string> {
  const { body } = await ask('POST', `/api/conversations/${id}/messages?wait=5`, {
    body: { content: 'ship Ada' },
    tenant,
  })
  return body.result.holds[0].callId as string
}
