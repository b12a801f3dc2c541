/** The built-in tools by which an agent keeps its goals, its memories and its plans. */
import type { Json } from '@holdpoint/core/internal/json'
import type { Duration } from '@holdpoint/core/internal/duration'
import type { Missed, Plan } from '@holdpoint/core/internal/plan/plan'
import type { PlanRequest } from '@holdpoint/core/internal/plan/plan-request'
import type { Plugin } from '@holdpoint/core/internal/plugin/plugin'
import { timeText } from '@holdpoint/core/internal/time-text'
import { toolError } from '@holdpoint/core/internal/tool/handler-result'
import { toolDefiner, type Tool } from '@holdpoint/core/internal/tool/tool'
import { InputReader, toolInput } from './tool-input.ts'

export interface Mind {
  readonly goals: readonly Note[]
  readonly memories: readonly Note[]
}

export interface Note {
  readonly id: string
  readonly text: string
}

export const EMPTY_MIND: Mind = { goals: [], memories: [] }

const tool = toolDefiner(undefined)
const MOST_NOTES = 100
const LONGEST_NOTE = 2000
const MOST_AT_ONCE = 20

const notesInput = (what: string) =>
  toolInput(
    {
      [what]: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, text: { type: 'string' } },
          required: ['text'],
          additionalProperties: false,
        },
      },
    },
    [what],
    (given) =>
      given.list(what, MOST_AT_ONCE, (each, where) => {
        const note = new InputReader(each, ['id', 'text'], where)
        return { id: note.maybeText('id', 100), text: note.text('text', LONGEST_NOTE) }
      }),
  )

const idsInput = toolInput({ ids: { type: 'array', items: { type: 'string' } } }, ['ids'], (given) =>
  given.list('ids', 100, (each, where) => {
    if (typeof each === 'string') return each
    throw new Error(`${where}an id is text`)
  }),
)

function noteTools(kind: keyof Mind, mind: Plugin<Mind>, words: string): readonly Tool[] {
  return [
    tool({
      name: `set_${kind}`,
      description: `Keep ${words}. With the id of one that is there, its text is replaced.`,
      input: notesInput(kind),
      visible: false,
      run: async ({ input: notes, state, call }) => {
        const named = notes.map(({ id, text }, index) => ({ id: id ?? `${call.id}.${index + 1}`, text }))
        const merged = merge((state.get(mind) ?? EMPTY_MIND)[kind], named)
        if (merged.length > MOST_NOTES) return toolError(`There is room for ${MOST_NOTES} ${kind}. Delete some first.`)
        await state.update(mind, (now = EMPTY_MIND) => ({ ...now, [kind]: merge(now[kind], named) }))
        return { [kind]: named.map(({ id, text }) => ({ id, text })) }
      },
    }),
    tool({
      name: `delete_${kind}`,
      description: `Forget ${words}, by their ids.`,
      input: idsInput,
      visible: false,
      run: async ({ input: ids, state }) => {
        const before = (state.get(mind) ?? EMPTY_MIND)[kind]
        await state.update(mind, (now = EMPTY_MIND) => ({
          ...now,
          [kind]: now[kind].filter(({ id }) => !ids.includes(id)),
        }))
        return { deleted: ids.filter((id) => before.some((note) => note.id === id)) }
      },
    }),
  ]
}

const PLAN_FIELDS = ['id', 'what', 'runAfter', 'scheduledAt', 'cron', 'timeZone', 'missed']

const plansInput = toolInput(
  {
    plans: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'Of a plan that is there, to change it' },
          what: { type: 'string', description: 'What to do then' },
          runAfter: { type: ['number', 'string'], description: 'Milliseconds from now, or text such as "2 hours"' },
          scheduledAt: { type: 'string', description: 'A date with its offset: 2030-01-31T09:00:00Z' },
          cron: { type: 'string', description: 'Again and again: minute hour day month weekday' },
          timeZone: { type: 'string', description: 'Of the cron line, such as Europe/Paris. Default: UTC' },
          missed: { enum: ['once', 'all', 'none'], description: 'What happens to times that were missed' },
        },
        required: ['what'],
        additionalProperties: false,
      },
    },
  },
  ['plans'],
  (given) =>
    given.list('plans', MOST_AT_ONCE, (each, where): PlanRequest => {
      const plan = new InputReader(each, PLAN_FIELDS, where)
      const fields = PLAN_FIELDS.flatMap((key) => {
        const value = plan.maybe(key)
        return value === undefined ? [] : [[key, value] as const]
      })
      // `makePlan` checks the fields, as for plans from any other source.
      return Object.fromEntries(fields) as unknown as PlanRequest & { runAfter?: Duration; missed?: Missed }
    }),
)

const planTools: readonly Tool[] = [
  tool({
    name: 'set_plans',
    description: 'Wake up for something later: once, after a while or at a time, or again and again.',
    input: plansInput,
    visible: false,
    run: ({ input: requests, plans }) => {
      const made = requests.map((request) => plans.set(request))
      const wrong = made.flatMap((each, index) => (each.ok ? [] : [`plans[${index}]: ${each.why}`]))
      if (wrong.length > 0) return toolError(wrong.join('; '))
      return { plans: made.flatMap((each) => (each.ok ? [planShown(each.plan)] : [])) }
    },
  }),
  tool({
    name: 'delete_plans',
    description: 'Give plans up, by their ids.',
    input: idsInput,
    visible: false,
    run: ({ input: ids, plans }) => ({ deleted: ids.filter((id) => plans.remove(id)) }),
  }),
  tool({
    name: 'get_plans',
    description: 'Read your plans, the next first.',
    input: toolInput({}, [], () => ({})),
    visible: false,
    run: ({ plans }) => ({ plans: plans.list().map(planShown) }),
  }),
]

export function selfTools(mind: Plugin<Mind>): readonly Tool[] {
  return [
    ...noteTools('goals', mind, 'goals of yours'),
    ...noteTools('memories', mind, 'memories: what you will want to know later'),
    ...planTools,
  ]
}

/** A plan as the model reads it, with its time as text. */
export function planShown({ id, what, nextAt, cron, missed }: Plan): Json {
  const next = timeText(nextAt)
  return { id, what, next, ...(cron && { cron: cron.line, timeZone: cron.timeZone }), missed }
}

function merge(notes: readonly Note[], changed: readonly Note[]): readonly Note[] {
  const byId = new Map(notes.map((note) => [note.id, note]))
  for (const note of changed) byId.set(note.id, note)
  return [...byId.values()]
}
