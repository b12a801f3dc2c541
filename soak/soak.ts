/**
 * A desk that works for hours: messages, calls, approvals, rejections, expiries, erasures, restarts. A ledger outside of the store
 * counts what ran. From time to time everything stands still, and the logs are compared with the ledger; in between, memory and
 * handles are sampled after a garbage collection.
 */
import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fold, type LogEvent, type Store } from '@holdpoint/core'
import { agent, holdpoint, tool, type Runtime } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

export interface SoakOptions {
  readonly ms: number
  /** Opens a handle of the same store each time. */
  readonly open: () => Promise<Store>
  /** How often everything stands still for a check. */
  readonly checkMs: number
  readonly report: (line: string) => void
}

export interface Sample {
  readonly heapMb: number
  readonly handles: number
}

export interface Soaked {
  readonly turns: number
  readonly restarts: number
  readonly checks: number
  readonly samples: readonly Sample[]
  readonly violations: readonly string[]
}

const LANES = 16
/** The fewest samples that show whether something grows. */
const SAMPLES = 8
/** A lane begins another conversation after so many turns, and erases the one before the last. */
const TURNS = 20

/** How often each call ran, by its id. */
type Ledger = Map<string, number>

function deskOf(ledger: Ledger): ReturnType<typeof agent> {
  const run = ({ call }: { readonly call: { readonly id: string } }): string => {
    ledger.set(call.id, (ledger.get(call.id) ?? 0) + 1)
    return 'done'
  }
  const common = { input: z.object({}), onLost: 'ask', run } as const
  const tools = [
    tool({ name: 'look', description: 'Look', ...common }),
    tool({ name: 'pay', description: 'Pay', ...common, approval: 'required' }),
    tool({ name: 'wait', description: 'Wait', ...common, approval: 'required', approvalTimeout: '300 ms' }),
  ]
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    if (last?.role !== 'user') return 'Done.'
    const said = JSON.stringify(last)
    return { calls: tools.filter(({ name }) => said.includes(name)).map(({ name }) => ({ name, input: {} })) }
  })
  return agent({ name: 'desk', model, tools })
}

/** A garbage collection, also where Node was started without it. */
const collect = ((): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()

const SAYS = ['look', 'look and pay', 'pay', 'look and wait', 'wait', 'look and look'] as const

function sayOf(nth: number): string {
  return SAYS[nth % SAYS.length] ?? ''
}

export async function soak({ ms, open, checkMs, report }: SoakOptions): Promise<Soaked> {
  const ledger: Ledger = new Map()
  const violations: string[] = []
  const samples: Sample[] = []
  const lanes = Array.from({ length: LANES }, (_, lane) => ({ lane, nth: 0 }))
  let [turns, restarts, checks] = [0, 0, 0]
  const end = performance.now() + ms
  // Growth is seen in several samples, so a short run goes on until it has them.
  while (performance.now() < end || samples.length < SAMPLES) {
    const store = await open()
    const problem = (error: unknown): void => void violations.push(`problem: ${String(error)}`)
    const runtime = await holdpoint({ store, agents: [deskOf(ledger)], onProblem: ({ error }) => problem(error) })
    const until = performance.now() + checkMs
    await Promise.all(
      lanes.map(async (place) => {
        while (performance.now() < until) {
          await oneTurn(runtime, idOf(place.lane, place.nth), sayOf(place.nth + place.lane))
          if (++place.nth % TURNS === 0 && place.nth > TURNS) await eraseOld(runtime, place, ledger)
          turns++
        }
      }),
    )
    for (const { lane, nth } of lanes)
      for (const each of [nth, nth - TURNS])
        if (each >= 0) violations.push(...(await check(runtime, idOf(lane, each), ledger)))
    checks++
    await runtime.close()
    await store.close()
    restarts++
    samples.push(sample())
    const { heapMb, handles } = samples.at(-1)!
    report(
      `${turns} turns, ${restarts} restarts, heap ${heapMb} MB, ${handles} handles, ${violations.length} violations`,
    )
    if (violations.length > 0) break
  }
  violations.push(...growth(samples))
  return { turns, restarts, checks, samples, violations }
}

function idOf(lane: number, nth: number): string {
  return `lane-${lane}-${Math.floor(nth / TURNS)}`
}

async function oneTurn(runtime: Runtime, id: string, text: string): Promise<void> {
  let result = await runtime.send(id, text)
  for (let nth = 0; result.status === 'held'; nth++) {
    const [hold] = result.holds
    if (!hold) throw new Error(`${id} is held without a hold`)
    // The calls of `wait` are left to expire.
    if (hold.name === 'wait') await expired(runtime, id)
    else if (nth % 3 === 2) await runtime.reject(id, hold.callId, 'no', { by: 'ada' })
    else await runtime.approve(id, hold.callId, { by: 'ada' })
    result = await runtime.continue(id)
  }
}

async function expired(runtime: Runtime, id: string): Promise<void> {
  while ((await runtime.pending({ conversationId: id, tool: 'wait' })).items.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

async function eraseOld(runtime: Runtime, { lane, nth }: { lane: number; nth: number }, ledger: Ledger): Promise<void> {
  const id = idOf(lane, nth - 2 * TURNS)
  for (const event of await wholeLog(runtime, id)) if ('callId' in event) ledger.delete(event.callId)
  const erased = await runtime.erase(id)
  if (!erased.ok) throw new Error(`${id} could not be erased: ${erased.message}`)
}

async function wholeLog(runtime: Runtime, id: string): Promise<LogEvent[]> {
  const events: LogEvent[] = []
  for (;;) {
    const more = await runtime.events(id, events.length, 500)
    if (more.length === 0) return events
    events.push(...more)
  }
}

/** The log has no gaps and folds, each call has one outcome, and ran as often as the log says: once, or not at all. */
async function check(runtime: Runtime, id: string, ledger: Ledger): Promise<string[]> {
  const events = await wholeLog(runtime, id)
  if (events.some(({ type }) => type === 'conversation.erased')) return []
  const found: string[] = []
  if (events.some(({ seq }, nth) => seq !== nth + 1)) found.push(`${id}: the log has gaps`)
  fold(events)
  const outcomes = new Map<string, boolean>()
  const started = new Set<string>()
  for (const event of events) {
    if (event.type === 'call.started') started.add(event.callId)
    if (event.type !== 'call.settled') continue
    if (outcomes.has(event.callId)) found.push(`${id}: ${event.callId} has two outcomes`)
    outcomes.set(event.callId, event.outcome.ok)
  }
  for (const callId of outcomes.keys()) {
    const ran = ledger.get(callId) ?? 0
    if (ran !== (started.has(callId) ? 1 : 0)) found.push(`${id}: ${callId} ran ${ran} times`)
  }
  return found
}

function sample(): Sample {
  collect()
  const handles = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
  return { heapMb: Math.round(process.memoryUsage().heapUsed / 1e6), handles }
}

/** The second half may use a little more than the first: caches fill, and code is compiled. */
function growth(samples: readonly Sample[]): string[] {
  if (samples.length < SAMPLES) return []
  const half = Math.floor(samples.length / 2)
  const least = (part: readonly Sample[], what: keyof Sample): number => Math.min(...part.map((each) => each[what]))
  // The first quarter is the start.
  const [first, second] = [samples.slice(Math.floor(half / 2), half), samples.slice(half + Math.floor(half / 2))]
  const found: string[] = []
  for (const [what, more] of [
    ['heapMb', 15],
    ['handles', 5],
  ] as const)
    if (least(second, what) > least(first, what) + more)
      found.push(`${what} grew from ${least(first, what)} to ${least(second, what)}`)
  return found
}
