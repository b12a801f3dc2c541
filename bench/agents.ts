/**
 * Compares many idle agents in one store, each with a plan in the future, with a single one in another store, in one process.
 * Measures the cost while nothing happens, and the cost to wake one of them.
 */
import { agent, holdpoint, type Agent, type Model, type ModelPart } from 'holdpoint'
import { setTimeout as sleep } from 'node:timers/promises'
import { heap } from './storage/heap.ts'
import { withPlaces } from './storage/places.ts'
import { progress, type Report } from './storage/report.ts'
import { timed } from './storage/side.ts'
import { median } from './storage/statistics.ts'

/** Warm-up, not counted. */
const WARM_UP = 500
const AT_ONCE = 100

type Runtime = Awaited<ReturnType<typeof holdpoint>>

/** Some agents in a store, and the callbacks for their next model call. */
interface AgentGroup {
  readonly runtime: Runtime
  /** Resolves when the model of this agent is called. */
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
    const alone = await openGroup(await places.make('alone'))
    const crowd = await openGroup(await places.make('crowd'))
    try {
      await makeIdle(alone, 0, 1)
      await makeIdle(crowd, 0, Math.min(WARM_UP, many))
      const [heapBefore, openBefore] = [heap(), whatIsOpen()]
      await makeIdle(crowd, WARM_UP, many)
      const bytes = (heap() - heapBefore) / Math.max(1, many - WARM_UP)
      const openAfter = whatIsOpen()
      const took: [number[], number[]] = [[], []]
      // The groups alternate, so that a busy minute of the machine affects both, and each group goes first equally often.
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

/** Idle agents leave memory: waking one reads its log again, whether it is alone or one of many. */
async function openGroup(place: string): Promise<AgentGroup> {
  const waiting = new Map<string, () => void>()
  const known = new Map<string, Agent>()
  const runtime = await holdpoint({
    store: place,
    keepIdle: 0,
    // Like a service that stores the definitions of its agents elsewhere.
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

/** Each agent wakes once and makes a plan for a later day. */
async function makeIdle(of: AgentGroup, from: number, to: number): Promise<void> {
  for (let nth = from; nth < to; nth += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, to - nth) }, (_, n) => nameOf(nth + n))
    await Promise.all(
      names.map(async (name) => {
        await of.runtime.agents.setPlan(name, { what: 'Look again', runAfter: '30 days' })
        await of.runtime.agents.trigger(name, { name: 'hello' })
        await untilIdle(of, name)
      }),
    )
    if (nth % 1000 === 0 && nth > 0) progress(`${nth} of ${to} agents are idle`)
  }
}

/** Measures the time until the model is called. It then waits, unmeasured, until the agent is idle again. */
async function wake(of: AgentGroup, name: string): Promise<number> {
  const ms = await timed(async () => {
    const asked = of.asked(name)
    await of.runtime.agents.trigger(name, { name: 'news' })
    await asked
  })
  await untilIdle(of, name)
  return ms
}

async function untilIdle({ runtime }: AgentGroup, name: string): Promise<void> {
  while ((await runtime.agents.view(name)).status !== 'asleep') await sleep(1)
}

/** The open timers of the process, and its other open resources. */
function whatIsOpen(): { readonly timers: number; readonly others: number } {
  const open = process.getActiveResourcesInfo()
  const timers = open.filter((kind) => kind === 'Timeout').length
  return { timers, others: open.length - timers }
}
