/**
 * Gateway: the cost of HTTP. Measures the same resolutions in process and over HTTP, alternating; one message to few and to
 * many followers; and the memory of a stream. The clients run in their own process.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { serve } from '@holdpoint/gateway'
import { agent, holdpoint, openStore, tool, type Model, type Runtime } from 'holdpoint'
import { z } from 'zod'
import type { Order, Said } from './gateway-clients.ts'
import { progress, type Report } from './storage/report.ts'
import { median } from './storage/statistics.ts'

const AT_ONCE = 64
const FEW = 100
const MANY = 2000
const KEY = 'the-key-of-the-benchmark-long-enough'

export async function gateway({ rounds = 3, conversations = 600 }): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-gateway-'))
  const store = await openStore(join(folder, 'bench.db'))
  const agents = [agent({ name: 'desk', model, tools: [ask] })]
  const runtime = await holdpoint({ store, agents })
  const endless = { perSecond: 1e9, burst: 1e9 }
  const server = await serve({
    runtime,
    store,
    agents,
    limits: {
      rate: endless,
      tenantRate: endless,
      tenantBytes: endless,
      tenantBytesPerDay: Infinity,
      tenantAnswerBytes: endless,
      streamsPerKey: MANY,
      streamsPerTenant: MANY,
    },
    auth: { keys: [{ key: KEY, scopes: ['admin'] }] },
  })
  try {
    const resolved = await resolutions(runtime, server.url, rounds, conversations)
    const few = await broadcast(runtime, server.url, FEW)
    const many = await broadcast(runtime, server.url, MANY)
    return {
      bench: 'gateway',
      ratio: resolved.ratio,
      limits: [
        { what: 'resolutions over HTTP to those in process', value: resolved.ratio, least: 0.3 },
        { what: `a broadcast to ${MANY} to one to ${FEW}`, value: many.p50 / few.p50, most: 25 },
        { what: 'KB a stream', value: many.kilobytes, most: 25 },
      ],
      figures: { resolved, few, many },
    }
  } finally {
    await server.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const ask = tool({ name: 'ask', description: 'Ask', executor: 'human', timeout: '1 h', input: z.object({}) })

/** Asks for a call when the message says so, and replies with text otherwise. */
const model: Model = {
  id: 'bench',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const asks = last?.role === 'user' && JSON.stringify(last.parts).includes('ask')
    if (asks) yield { type: 'call', id: 'c', name: 'ask', input: '{}' }
    else yield { type: 'text', id: 't', delta: 'Done.' }
    yield { type: 'finish', reason: asks ? 'calls' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

type Holds = readonly (readonly [id: string, callId: string])[]

async function resolutions(
  runtime: Runtime,
  url: string,
  rounds: number,
  count: number,
): Promise<{ ratio: number; inProcess: number; overHttp: number; p50: number; p99: number }> {
  const clients = new Clients(url)
  const inside: number[] = []
  const over: number[] = []
  const each: number[] = []
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    progress(`resolutions, round ${round} of ${rounds}`)
    const ours = await inProcess(runtime, await held(runtime, `in-${round}`, count))
    const theirs = await clients.resolve(await held(runtime, `out-${round}`, count))
    if (round === 0) continue
    inside.push(ours)
    over.push((count / theirs.ms) * 1000)
    each.push(...theirs.each)
  }
  clients.close()
  const sorted = each.toSorted((a, b) => a - b)
  return {
    ratio: median(over) / median(inside),
    inProcess: median(inside),
    overHttp: median(over),
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  }
}

/** Returns resolutions per second. */
async function inProcess(runtime: Runtime, holds: Holds): Promise<number> {
  const start = performance.now()
  await atOnce(holds, ([id, callId]) => runtime.answer(id, callId, 1))
  return (holds.length / (performance.now() - start)) * 1000
}

async function held(runtime: Runtime, name: string, count: number): Promise<Holds> {
  const ids = Array.from({ length: count }, (_, nth) => `${name}-${nth}`)
  const found: [string, string][] = []
  await atOnce(ids, async (id) => {
    const { holds } = await runtime.send(id, 'ask')
    found.push([id, holds[0]?.callId ?? ''])
  })
  return found
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) await work(items[at] as T)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function broadcast(
  runtime: Runtime,
  url: string,
  count: number,
): Promise<{ p50: number; p99: number; kilobytes: number }> {
  progress(`a broadcast to ${count}`)
  const id = await runtime.create()
  const clients = new Clients(url)
  const before = bytes()
  await clients.follow(id, count)
  const kilobytes = (bytes() - before) / count / 1024
  const times: number[] = []
  for (let nth = 0; nth < 25; nth++) {
    const heard = clients.hears('heard')
    const start = performance.now()
    await runtime.send(id, 'hello')
    await heard
    if (nth >= 5) times.push(performance.now() - start)
  }
  clients.close()
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: median(times), p99: sorted.at(-1) ?? 0, kilobytes }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function bytes(): number {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

class Clients {
  readonly #child: ChildProcess

  constructor(url: string) {
    this.#child = fork(join(import.meta.dirname, 'gateway-clients.ts'), [url, KEY])
  }

  async follow(id: string, count: number): Promise<void> {
    const ready = this.hears('ready')
    this.#send({ order: 'follow', id, count })
    await ready
  }

  resolve(holds: Holds): Promise<Extract<Said, { said: 'resolved' }>> {
    const resolved = this.hears('resolved')
    this.#send({ order: 'resolve', holds })
    return resolved
  }

  hears<S extends Said['said']>(what: S): Promise<Extract<Said, { said: S }>> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('The clients have ended.'))
      this.#child.once('exit', gone)
      const hear = (said: Said): void => {
        if (said.said !== what) return
        this.#child.off('message', hear)
        this.#child.off('exit', gone)
        resolve(said as Extract<Said, { said: S }>)
      }
      this.#child.on('message', hear)
    })
  }

  close(): void {
    this.#child.kill()
  }

  #send(order: Order): void {
    this.#child.send(order)
  }
}
