/**
 * Context: compares the prompt of a long conversation with that of a short one, in one run. Both are longer than the window.
 * Measures the time to make the prompt, in a process that has the conversation in memory and in one that loads it; the
 * growth of memory per turn; and the cost of a hook on the stream for each piece of a reply.
 */
import type { ContextOptions } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { agent, chat, holdpoint, type Agent, type Model } from 'holdpoint'
import { assemble, type Assembled } from '../packages/core/src/context/assemble.ts'
import { ConversationLog } from '@holdpoint/runtime/internal/conversation/conversation-log'
import type { Store } from '../packages/core/src/log/store.ts'
import type { ToolSpec } from '../packages/core/src/model/model.ts'
import { SAID } from './storage/facts.ts'
import { freeAgent } from './storage/free-agent.ts'
import { heap } from './storage/heap.ts'
import { withPlaces } from './storage/places.ts'
import { progress, type Figure, type Report } from './storage/report.ts'
import { timed } from './storage/side.ts'
import { median } from './storage/statistics.ts'

const FEW = 100
const WARM_UP = 1000
const PIECES = 10_000
/** In bytes per turn. A turn that stays in memory takes some thousands. */
const MOST_GROWTH = 64

const KINDS: Readonly<Record<string, ContextOptions>> = {
  window: { window: { turns: 20 } },
  budget: { budget: 4000 },
  retention: { window: { turns: 40 }, retention: { turns: 2 } },
}

export async function context({
  turns: many = 10_000,
  rounds = 300,
}: {
  readonly turns?: number
  readonly rounds?: number
}): Promise<Report> {
  const limits: { what: string; value: number; most: number }[] = []
  const figures: Record<string, Figure> = { turns: [FEW, many], rounds }
  for (const [kind, options] of Object.entries(KINDS)) {
    const found = await measure(kind, options, many, rounds)
    for (const way of ['warm', 'fresh'] as const)
      limits.push({ what: `${kind}, ${way}: prompt of ${many} turns over ${FEW}`, value: found[way].ratio, most: 2 })
    limits.push({ what: `${kind}: bytes of memory per turn, from ${FEW} on`, value: found.growth, most: MOST_GROWTH })
    figures[kind] = { ...found, warm: { ...found.warm }, fresh: { ...found.fresh } }
  }
  return { bench: 'context', limits, figures: { ...figures, streamMicros: await streaming(rounds) } }
}

interface Took {
  readonly few: number
  readonly many: number
  readonly ratio: number
}

async function measure(
  kind: string,
  options: ContextOptions,
  many: number,
  rounds: number,
): Promise<{ readonly warm: Took; readonly fresh: Took; readonly growth: number; readonly messages: number }> {
  const desk = freeAgent({ calls: 1, approval: false, context: options })
  return withPlaces('sqlite', async (places) => {
    const place = await places.make('context')
    const growth = await fill(place, desk, many, kind)
    const store = await sqliteStore(place)
    try {
      const logs = [await logOf(store, desk, FEW), await logOf(store, desk, many)] as const
      const prompts = await Promise.all(logs.map((log) => told(log, desk)))
      const warm: [number[], number[]] = [[], []]
      const fresh: [number[], number[]] = [[], []]
      // The two alternate, so that a busy minute of the machine affects both, and each goes first equally often.
      for (let nth = 0; nth < rounds; nth++)
        for (const which of nth % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
          warm[which].push(await timed(() => told(logs[which], desk)))
          fresh[which].push(await timed(async () => told(await logOf(store, desk, which ? many : FEW), desk)))
        }
      return { warm: took(warm), fresh: took(fresh), growth, messages: prompts[1]!.prompt.length }
    } finally {
      await store.close?.()
    }
  })
}

function took([few, many]: readonly [number[], number[]]): Took {
  return { few: median(few), many: median(many), ratio: median(many) / median(few) }
}

/** Creates a short and a long conversation. Returns the memory per turn of the long one, after its first hundred turns. */
async function fill(place: string, desk: Agent, many: number, kind: string): Promise<number> {
  const hp = await holdpoint({ store: place, agents: [desk] })
  const send = async (turns: number, count: number): Promise<void> => {
    for (let nth = 0; nth < count; nth++) await hp.send(idOf(turns), SAID)
  }
  await send(FEW, FEW)
  // Warm up, because what a process loads only once is not growth.
  for (let nth = 0; nth < WARM_UP; nth++) await hp.send('elsewhere', SAID)
  await send(many, FEW)
  const before = heap()
  for (let sent = FEW; sent < many; sent += 1000) {
    await send(many, Math.min(1000, many - sent))
    progress(`${kind}: ${Math.min(sent + 1000, many)} of ${many} turns`)
  }
  const growth = (heap() - before) / Math.max(1, many - FEW)
  await hp.close()
  return growth
}

const idOf = (turns: number): string => `of-${turns}`

/** Loads the log like a process that opens the conversation. */
async function logOf(store: Store, desk: Agent, turns: number): Promise<ConversationLog> {
  const log = new ConversationLog({ tenant: '', id: idOf(turns) }, store, desk.ports)
  await log.refresh()
  return log
}

async function told(log: ConversationLog, desk: Agent): Promise<Assembled> {
  const { tools } = desk.toolbox
  const specs = Array.from(tools.values(), ({ name, description, input }): ToolSpec => {
    return { kind: 'function', name, description, inputSchema: input.json }
  })
  const made = await assemble({ agent: desk, log, context: [], tools, specs, inject: [], summary: undefined })
  if ('tooLarge' in made) throw new Error(made.tooLarge)
  return made
}

/** Microseconds for each piece of a reply: without a hook, with one that changes nothing, and with one that redacts. */
async function streaming(rounds: number): Promise<{ none: number; passing: number; redacting: number }> {
  const usage = { inputTokens: 1, outputTokens: 1 }
  const pieces = [
    ...Array.from({ length: PIECES }, (_, nth) => ({ type: 'text', id: 't', delta: `word${nth} ` }) as const),
    { type: 'finish', reason: 'stop', usage } as const,
  ]
  const model: Model = {
    id: 'bench/talker',
    stream: () => ({
      async *[Symbol.asyncIterator]() {
        yield* pieces
      },
      forEach: async (take) => pieces.forEach(take),
    }),
  }
  const desk = (part?: (text: string) => string): Agent =>
    agent({
      name: 'desk',
      model,

      ...(part && {
        hooks: {
          onStream: [
            {
              name: 'hook',
              open: () => ({
                part: (given) => (given.type === 'text' ? { ...given, delta: part(given.delta) } : given),
              }),
            },
          ],
        },
      }),
    })
  const desks = {
    none: desk(),
    passing: desk((text) => text),
    redacting: desk((text) => text.replace(/\b\d{4} \d{4}\b|\bword77\d*\b/g, '[…]')),
  }
  const times: Record<keyof typeof desks, number[]> = { none: [], passing: [], redacting: [] }
  const names = Object.keys(desks) as (keyof typeof desks)[]
  for (let nth = 0; nth < Math.min(rounds, 60); nth++)
    for (const name of names) times[name].push((await timed(() => chat(desks[name], 'Talk'))) / PIECES)
  return { none: median(times.none), passing: median(times.passing), redacting: median(times.redacting) }
}
