/**
 * Agents that sleep: many of them in one store, each with a plan for some day, against one that is alone in another, in one
 * process. What do they cost while nothing happens, and what does it cost to wake one of them?
 */
import { agent, holdpoint, type Agent, type Model, type ModelPart } from 'holdpoint'
import { setTimeout as sleep } from 'node:timers/promises'
import { heap } from './storage/heap.ts'
import { withPlaces } from './storage/places.ts'
import { progress, type Report } from './storage/report.ts'
import { timed } from './storage/side.ts'
import { median } from './storage/statistics.ts'

/** What a process learns from the first of them is not counted for the others. */
const WARM_UP = 500
const AT_ONCE = 100

type Runtime = Awaited<ReturnType<typeof holdpoint>>

/** Some agents in a store, and what they are waiting to be asked. */
interface Village {
  readonly runtime: Runtime
  /** Resolves when the model is asked on behalf of this one. */
  asked(name: string): Promise<void>
}

export async function agents({
  conversations: many = 10_000,
  rounds = 300,
}: {
  readonly conversations?: number
  readonly rounds?: number
}): Promise<Report> {
  return withPlaces('sqlite', async (places) => {
    const alone = await village(await places.make('alone'))
    const crowd = await village(await places.make('crowd'))
    try {
      await putToBed(alone, 0, 1)
      await putToBed(crowd, 0, Math.min(WARM_UP, many))
      const [heapBefore, openBefore] = [heap(), whatIsOpen()]
      await putToBed(crowd, WARM_UP, many)
      const bytes = (heap() - heapBefore) / Math.max(1, many - WARM_UP)
      const openAfter = whatIsOpen()
      const took: [number[], number[]] = [[], []]
      // They take turns, so that a busy minute hurts both alike; and each goes first as often as the other.
      for (let nth = 0; nth < rounds; nth++)
        for (const which of nth % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
          const name = nameOf(which ? (nth * 7919) % many : 0)
          took[which].push(await wake(which ? crowd : alone, name))
        }
      const [one, ofMany] = [median(took[0]), median(took[1])]
      return {
        bench: 'agents',
        limits: [
          { what: `bytes of memory for each of ${many} that sleep`, value: bytes, most: 1024 },
          { what: 'timers more than for a few', value: openAfter.timers - openBefore.timers, most: 0 },
          { what: 'connections and files more than for a few', value: openAfter.others - openBefore.others, most: 0 },
          { what: `waking one of ${many} over waking the only one`, value: ofMany / one, most: 1.5 },
        ],
        figures: { agents: many, rounds, bytes, open: { ...openAfter }, wakeMicros: { one, ofMany } },
      }
    } finally {
      await alone.runtime.close()
      await crowd.runtime.close()
    }
  })
}

const nameOf = (nth: number): string => `agent-${nth}`

/** Nobody stays in memory who is not needed there: whoever sleeps is read again to be woken, alone or not. */
async function village(place: string): Promise<Village> {
  const waiting = new Map<string, () => void>()
  const known = new Map<string, Agent>()
  const runtime = await holdpoint({
    store: place,
    keepIdle: 0,
    // As a service has them that keeps their definitions elsewhere.
    agentFor: async (_tenant, name) => {
      const found = known.get(name) ?? agent({ name, model: modelOf(() => waiting.get(name)?.()) })
      if (known.size >= AT_ONCE) known.delete(known.keys().next().value ?? '')
      known.set(name, found)
      return found
    },
  })
  return {
    runtime,
    asked: (name) =>
      new Promise((resolve) => {
        waiting.set(name, () => {
          waiting.delete(name)
          resolve()
        })
      }),
  }
}

function modelOf(asked: () => void): Model {
  const parts: readonly ModelPart[] = [
    { type: 'text', id: 't', delta: 'Seen.' },
    { type: 'finish', reason: 'stop', usage: { inputTokens: 100, outputTokens: 1 } },
  ]
  return {
    id: 'bench/free',
    stream: () => {
      asked()
      return {
        async *[Symbol.asyncIterator]() {
          yield* parts
        },
      }
    },
  }
}

/** Each wakes once, and makes a plan for some day. */
async function putToBed(of: Village, from: number, to: number): Promise<void> {
  for (let nth = from; nth < to; nth += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, to - nth) }, (_, n) => nameOf(nth + n))
    await Promise.all(
      names.map(async (name) => {
        await of.runtime.lives.setPlan(name, { what: 'Look again', runAfter: '30 days' })
        await of.runtime.lives.trigger(name, { name: 'hello' })
        await asleep(of, name)
      }),
    )
    if (nth % 1000 === 0 && nth > 0) progress(`${nth} of ${to} agents sleep`)
  }
}

/** Until the model is asked what to do about it; that it rests again afterwards is waited for, and not measured. */
async function wake(of: Village, name: string): Promise<number> {
  const ms = await timed(async () => {
    const asked = of.asked(name)
    await of.runtime.lives.trigger(name, { name: 'news' })
    await asked
  })
  await asleep(of, name)
  return ms
}

async function asleep({ runtime }: Village, name: string): Promise<void> {
  while ((await runtime.lives.view(name)).status !== 'asleep') await sleep(1)
}

/** What keeps the process awake, or its system busy. */
function whatIsOpen(): { readonly timers: number; readonly others: number } {
  const open = process.getActiveResourcesInfo()
  const timers = open.filter((kind) => kind === 'Timeout').length
  return { timers, others: open.length - timers }
}
