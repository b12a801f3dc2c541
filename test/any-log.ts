/** Random logs with results and texts of any size, and random context settings, to make prompts from. */
import type { ContextOptions } from '@holdpoint/core'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import fc from 'fast-check'
import { agent, tool, type LogEvent, type UserPart } from 'holdpoint'
import { z } from 'zod'
import { assemble, type Assembled, type TooLarge } from '../packages/core/src/context/assemble.ts'
import type { Shown } from '../packages/core/src/log/log-event.ts'
import type { PromptLog } from '../packages/core/src/context/prompt-log.ts'
import { Transcript } from '../packages/core/src/prompt/transcript.ts'
import type { Retention } from '../packages/core/src/tool/tool-options.ts'
import { fold } from '../packages/core/src/turn/turn.ts'
import { Walk } from './kit/walk.ts'

/** Counts one token per character. */
export const letters = (what: unknown): number => (typeof what === 'string' ? what : JSON.stringify(what)).length

export interface Settings {
  readonly context: ContextOptions
  readonly retention: Retention | undefined
  readonly instructions: string
  readonly inject: string | undefined
}

const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 3 })
const size = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most })
const retention: fc.Arbitrary<Retention> = fc.oneof(
  fc.constant('keep' as const),
  fc.record({ turns: fc.nat({ max: 3 }) }),
  fc.record({ last: fc.nat({ max: 3 }) }),
  fc.record({ turns: fc.nat({ max: 3 }), last: fc.nat({ max: 3 }) }),
)
const window = fc.oneof(
  fc.record({ turns: size(6) }),
  fc.record({ messages: size(12) }),
  fc.record({ tokens: size(8000) }),
)
const budget = fc.oneof(
  size(12_000),
  fc.record(
    {
      tokens: fc.integer({ min: 600, max: 16_000 }),
      reserve: fc.nat({ max: 500 }),
      instructions: fc.integer({ min: 40, max: 400 }),
      tools: fc.integer({ min: 100, max: 2000 }),
      injected: fc.integer({ min: 40, max: 400 }),
      conversation: size(8000),
    },
    { requiredKeys: ['tokens'] },
  ),
)

export const settings: fc.Arbitrary<Settings> = fc
  .record({
    window: some(window),
    retention: some(retention),
    budget: some(budget),
    ownWords: some(fc.record({ after: size(3) })),
    ofTool: some(retention),
    instructions: fc.constantFrom('', 'Be brief.', 'Be brief. '.repeat(20)),
    inject: some(fc.constantFrom('It is late.', 'It is late. '.repeat(20))),
  })
  .map(({ window, retention, budget, ownWords, ofTool, instructions, inject }) => {
    const given = Object.entries({ window, retention, budget, ownWords }).filter(([, value]) => value !== undefined)
    return { context: { ...Object.fromEntries(given), count: letters }, retention: ofTool, instructions, inject }
  })

export const choices: fc.Arbitrary<number[]> = fc.array(fc.nat({ max: 1000 }), {
  minLength: 40,
  maxLength: 300,
  size: 'max',
})

/** A log, and the positions at which a prompt is made: some in the middle, and the end. */
export async function logOf(numbers: readonly number[]): Promise<{ log: LogEvent[]; places: readonly number[] }> {
  const walk = new Walk(numbers)
  const places = new Set<number>()
  for (let step = 0; !walk.over; step++) {
    await walk.step()
    if (step % 20 === 19 && walk.log.length > 0) places.add(walk.log.length)
  }
  if (walk.log.length > 0) places.add(walk.log.length)
  return hooked(walk.log.map(dressed), places)
}

/** Adds the effects of hooks: some messages are replaced, extended or withheld, and some replies are requested again. */
function hooked(log: readonly LogEvent[], places: ReadonlySet<number>): { log: LogEvent[]; places: readonly number[] } {
  const out: LogEvent[] = []
  const moved: number[] = []
  const add = (event: LogEvent): void => void out.push({ ...event, seq: out.length + 1 })
  for (const [index, event] of log.entries()) {
    const chance = (event.seq * 104_729) % 5
    const final =
      event.type === 'model.replied' && !event.ends && !event.reply.parts.some(({ type }) => type === 'call')
    if (final && chance === 0) {
      add({ ...event, again: { hook: 'polite', feedback: 'Say please.' } })
      add({ ...event, step: event.step + 1 })
    } else add(event)
    if (event.type === 'turn.started' && event.items.length > 0 && chance < 3)
      add({
        ...messageChanges[chance]!,
        type: 'message.changed',
        turnId: event.turnId,
        hooks: ['hook'],
        seq: 0,
        at: event.at,
      })
    if (places.has(index + 1)) moved.push(out.length)
  }
  return { log: out, places: moved }
}

const words = (text: string): readonly UserPart[] => [{ type: 'text', text }]
const messageChanges = [{ replacement: words('Replaced.') }, { added: words('Added.') }, { withheld: true }] as const

/** The texts of the walk are short, so some are made longer, always in the same way for the same position. */
function dressed(event: LogEvent): LogEvent {
  const length = [0, 20, 300, 1500][(event.seq * 7919) % 4]!
  const text = `${event.type} ${'x'.repeat(length)}`
  if (event.type === 'call.settled') {
    const { outcome } = event
    if (outcome.ok && typeof outcome.value === 'object') return event
    return { ...event, outcome: { ok: true, value: text.repeat(3) } }
  }
  if (event.type === 'turn.started') {
    const items = event.items.map((item) =>
      item.kind === 'message' ? ({ ...item, message: { parts: [{ type: 'text', text }] } } as const) : item,
    )
    return { ...event, items }
  }
  if (event.type !== 'model.replied') return event
  const said = length > 0 ? [{ type: 'text', text } as const] : []
  return { ...event, reply: { ...event.reply, parts: [...said, ...event.reply.parts] } }
}

export interface Made {
  readonly log: PromptLog
  readonly made: Assembled | TooLarge
  readonly tools: number
}

/** The prompt for a model call after these events, given the start that earlier prompts had. */
export async function madeFrom(
  events: readonly LogEvent[],
  { context, ...rest }: Settings,
  shown?: Shown,
): Promise<Made> {
  const ports = testPorts()
  const only = tool({
    name: 'tool',
    description: 'Does something',
    input: z.object({}),
    run: () => 1,
    ...(rest.retention && { retention: rest.retention }),
  })
  const desk = agent({
    name: 'desk',
    model: scriptedModel([]),
    instructions: rest.instructions,
    tools: [only],
    context,
    ports,
  })
  const transcript = new Transcript()
  for (const event of events) transcript.add(event)
  const folded = fold(events)
  const log: PromptLog = {
    state: shown ? { ...folded, shown } : folded,
    events,
    transcript,
    isWhole: true,
    reachUntil: () => Promise.resolve(),
    forget: () => {},
  }
  const specs = [
    { kind: 'function', name: 'tool', description: only.description, inputSchema: only.input.json },
  ] as const
  const inject: UserPart[] = rest.inject === undefined ? [] : [{ type: 'text', text: rest.inject }]
  const { tools } = desk.toolbox
  const made = await assemble({ agent: desk, log, context: [], tools, specs, inject, summary: undefined })
  return { log, made, tools: letters(JSON.stringify(specs[0])) }
}
