/** A gateway on a port, behind a proxy that can cut connections, with an agent that has tools of every hold kind. */
import { createServer, connect as dial, type AddressInfo, type Socket } from 'node:net'
import { agent, holdpoint, memoryStore, tool, type Model, type Runtime } from 'holdpoint'
import { onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { connect, type Client, type ConnectOptions } from '@holdpoint/client'
import { vendorName } from '@holdpoint/core'
import { serve, type GatewayOptions, type Served } from '@holdpoint/gateway'

export interface Desk {
  readonly client: Client
  readonly runtime: Runtime
  readonly served: Served
  readonly line: Line
  /** Another page or program behind the same proxy. */
  another(options?: Partial<ConnectOptions>): Client
}

// The gateway asks clients to reconnect after one or two seconds, and the machine may be slow.
vi.setConfig({ testTimeout: 300_000 })

const KEY = 'hp_test_0123456789abcdef0123456789abcdef'

const tools = [
  tool({
    name: 'ship',
    streaming: true,
    description: 'Ship a parcel',
    executor: 'external',
    timeout: '1 h',
    input: z.object({ to: z.string() }),
    output: z.object({ parcel: z.string() }),
  }),
  tool({
    name: 'browser.location',
    description: 'Where the user is',
    executor: 'client',
    timeout: '1 h',
    grace: '1 h',
    input: z.object({ to: z.string() }),
    output: z.object({ city: z.string() }),
  }),
  tool({
    name: 'browser.photo',
    description: 'Take a photo',
    executor: 'client',
    timeout: '1 h',
    grace: '1 s',
    input: z.object({ to: z.string() }),
  }),
  tool({
    name: 'refund',
    description: 'Give money back',
    input: z.object({ to: z.string() }),
    approval: 'required',
    run: ({ input }) => `Refunded ${input.to}`,
  }),
]

const NAMES: Readonly<Record<string, string>> = { locate: 'browser.location', photograph: 'browser.photo' }

/** A model that follows the message: "ship Ada" calls the tool, "ship Ada Bob" calls it twice. It repeats other texts. */
const obedient: Model = {
  id: 'obedient',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const text = last?.role === 'user' ? JSON.stringify(last.parts) : ''
    const [, verb, whom = ''] = /(ship|locate|photograph|refund) ([\w ]+)/.exec(text) ?? []
    const usage = { inputTokens: 1, outputTokens: 1 }
    if (verb === undefined) {
      for (const delta of ['It ', 'is ', 'done.']) yield { type: 'text', id: 't', delta }
      yield { type: 'finish', reason: 'stop', usage }
      return
    }
    const name = vendorName(NAMES[verb] ?? verb)
    for (const [nth, to] of whom.split(' ').entries())
      yield { type: 'call', id: `c${nth}`, name, input: JSON.stringify({ to }) }
    yield { type: 'finish', reason: 'calls', usage }
  },
}

export async function desk(options: Partial<GatewayOptions> & { readonly model?: Model } = {}): Promise<Desk> {
  const { model = obedient, ...rest } = options
  const store = memoryStore({ now: Date.now })
  const agents = [agent({ name: 'desk', model, tools })]
  const runtime = await holdpoint({ store, agents })
  const limits = { rate: { perSecond: 10_000, burst: 10_000 }, heartbeatMs: 100 }
  const auth = { keys: [{ key: KEY, tenant: 'acme', scopes: ['admin'] as const, mayActFor: true as const }] }
  const served = await serve({ runtime, store, agents, auth, limits, log: () => {}, ...rest })
  const line = await openLine(Number(new URL(served.url).port))
  const another: Desk['another'] = (more = {}) => connect({ url: line.url, key: KEY, ...more })
  onTestFinished(async () => {
    await line.close()
    await served.close()
  })
  return { client: another(), runtime: runtime.tenant('acme'), served, line, another }
}

export interface Line {
  readonly url: string
  /** Cuts every connection, even in the middle of a message. */
  cut(): void
  /** Keeps connections open and drops all data from now on. */
  mute(on: boolean): void
  /** Refuses connections. */
  refuse(on: boolean): void
  readonly opened: number
  close(): Promise<void>
}

async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let muted = false
  let refusing = false
  let opened = 0
  const server = createServer((near) => {
    if (refusing) return void near.destroy()
    opened++
    const far = dial(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => (muted ? undefined : to.write(data)))
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => undefined)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => sockets.forEach((socket) => socket.destroy())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mute: (on) => {
      muted = on
    },
    refuse: (on) => {
      refusing = on
      if (on) cut()
    },
    get opened() {
      return opened
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
