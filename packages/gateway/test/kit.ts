/** A gateway on a memory store, with a key for each scope in two tenants, and an agent with a tool for each kind of hold. */
import {
  agent,
  holdpoint,
  memoryStore,
  tool,
  type HoldpointOptions,
  type Model,
  type Runtime,
  type Store,
} from 'holdpoint'
import { vi } from 'vitest'
import { z } from 'zod'
import { Channels, type Channel, type ChannelDevice } from '@holdpoint/channels'
import { gateway, serve, type Gateway, type GatewayOptions, type McpPorts } from '@holdpoint/gateway'
import type { Scope } from '@holdpoint/protocol'
import { storedAgents } from '../src/stored-agents.ts'
import { LIMITS } from '../src/gateway-options.ts'

export type Tenant = 'acme' | 'umbrella'
const TENANTS = ['acme', 'umbrella'] as const

/** A channel whose devices people register. */
function browsers(): Channel {
  const known = new Map<string, readonly ChannelDevice[]>()
  const at = (tenant: string, person: string): string => `${tenant}/${person}`
  return {
    name: 'browser',
    show: async () => null,
    devices: {
      publicKey: 'public',
      add: async (tenant, person) => {
        const all = known.get(at(tenant, person)) ?? []
        const added = { id: `${tenant}-${all.length}`, createdAt: 1 }
        known.set(at(tenant, person), [...all, added])
        return added
      },
      list: async (tenant, person) => known.get(at(tenant, person)) ?? [],
      remove: async (tenant, person, id) => {
        const all = known.get(at(tenant, person)) ?? []
        known.set(
          at(tenant, person),
          all.filter((each) => each.id !== id),
        )
        return all.some((each) => each.id === id)
      },
    },
  }
}
export const SCOPES = ['admin', 'agent', 'worker', 'resolver', 'reader'] as const

export interface Kit {
  readonly api: Gateway
  readonly url: string
  readonly runtime: Runtime
  readonly store: Store
  readonly channels: Channels
  /** The inputs that the refund tool ran with. */
  readonly ran: readonly unknown[]
  key(tenant: Tenant, scope: Scope): string
  /** Sends a JSON request with the key of a scope. Default: admin. */
  ask(method: string, path: string, options?: AskOptions): Promise<KitResponse>
  close(): Promise<void>
}

/** A body of lines of JSON. */
export class Lines {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export interface AskOptions {
  readonly body?: unknown
  readonly as?: Scope | 'anonymous'
  readonly tenant?: Tenant
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface KitResponse {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly headers: Headers
}

const ship = tool({
  name: 'ship',
  streaming: true,
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

/** A model that follows its prompt: "ship Ada" calls the tool, "in room ask size" calls it in the space "room". */
export const obedient: Model = {
  id: 'obedient',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const text = last?.role === 'user' ? JSON.stringify(last.parts) : ''
    const [, space, verb, what, more] = /(?:in (\w+) )?(ship|refund|settle|pay|ask) (\w+) ?(\w+)?/.exec(text) ?? []
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

/** The tenant acme has an MCP server with one changed tool. */
const mcpOfAcme: NonNullable<McpPorts['servers']> = {
  status: async (tenant) =>
    tenant === 'acme'
      ? [
          {
            name: 'tracker',
            at: 'https://tracker.acme.test',
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
  /** For agents created over HTTP. With them, the first message must name the agent. */
  readonly models?: Readonly<Record<string, Model>>
  /** Use a real port instead of calling `fetch` directly. */
  readonly socket?: boolean
  /** For the runtime. */
  readonly program?: Partial<HoldpointOptions>
}

export async function kit(options: KitOptions = {}): Promise<Kit> {
  const { model = obedient, models, socket = false, program, ...rest } = options
  const store = rest.store ?? memoryStore({ now: Date.now })
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
  const { maxSteps } = { ...LIMITS, ...rest.limits }
  const made = models && storedAgents(store, { models, maxSteps })
  const runtime = await holdpoint({
    store,
    agents: [desk],
    rules: true,
    ...(made && { agentFor: made.agentFor }),
    ...program,
  })
  const log = (): void => {}
  const read = made && { storedAgents: made }
  const channels = Channels.open({ runtime, store, url: 'https://holds.test', channels: [browsers()] })
  const settings = { runtime, store, channels, agents: [desk], log, mcp: { servers: mcpOfAcme }, ...read, ...rest }
  const served = socket ? await serve(settings) : undefined
  const api = served?.gateway ?? gateway(settings)
  const origin = served?.url ?? 'http://localhost'
  const keys = new Map<string, string>()
  for (const tenant of TENANTS)
    for (const scope of SCOPES)
      keys.set(
        `${tenant}/${scope}`,
        (await api.keys.create(tenant, { name: scope, scopes: [scope], mayActFor: true })).key,
      )
  const key = (tenant: Tenant, scope: Scope): string => keys.get(`${tenant}/${scope}`) ?? ''
  return {
    api,
    url: origin,
    runtime,
    store,
    channels,
    ran,
    key,
    ask: async (method, path, { body, as = 'admin', tenant = 'acme', key: idempotencyKey, headers } = {}) => {
      const response = await (served ? fetch : api.fetch)(
        new Request(`${origin}${path}`, {
          method,
          headers: {
            ...(as !== 'anonymous' && { authorization: `Bearer ${key(tenant, as)}` }),
            ...(body !== undefined && { 'content-type': `application/${body instanceof Lines ? 'x-ndjson' : 'json'}` }),
            ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
            ...headers,
          },
          ...(body !== undefined && { body: textOf(body) }),
        }),
      )
      const text = await response.text()
      const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '')
      return {
        status: response.status,
        body: isJson && text !== '' ? JSON.parse(text) : text,
        headers: response.headers,
      }
    },
    close: async () => {
      await channels.close()
      await (served ?? api).close()
      await runtime.close()
    },
  }
}

/** Starts a conversation whose call waits for a worker. Returns the id of the call. */
export async function shipping({ ask }: Kit, id: string, tenant: Tenant = 'acme'): Promise<string> {
  await ask('POST', `/api/conversations/${id}/messages`, { body: { content: 'ship Ada' }, tenant })
  return vi.waitFor(async () => {
    const { body } = await ask('GET', `/api/holds?conversationId=${id}`, { tenant })
    return body.items[0].callId as string
  })
}

function textOf(body: unknown): string {
  if (body instanceof Lines) return body.text
  return typeof body === 'string' ? body : JSON.stringify(body)
}
