/**
 * The tools of the simulated agents: one for every way in which a call can be executed, approved, lost and late.
 * Their handlers find the node that they run on in the scope.
 */
import {
  ask,
  askUser,
  definePlugin,
  halt,
  later,
  toolDefiner,
  toolError,
  type Checked,
  type HandlerResult,
  type Json,
  type JsonObject,
  type OnLostPolicy,
  type Plugin,
  type StandardSchema,
  type Tool,
  type ToolContext,
} from '@holdpoint/core'
import type { SimNode } from './node.ts'

interface Facts {
  /** How many people must agree to this input. */
  approvers(input: Json): number
  readonly onLost: OnLostPolicy
  /** A rule may take the place of an approval. */
  readonly rulesMayRelax: boolean
}

/** The version of a node's tools: an upgrade changes their definitions. */
export type ToolVersion = 1 | 2

const INPUT = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const

/** Enough of JSON Schema for the two schemas here. */
function compile(schema: JsonObject): (value: unknown) => Checked {
  return (value) => {
    if (schema['type'] === 'string')
      return typeof value === 'string' ? { ok: true, value } : { ok: false, why: 'not text' }
    const n: unknown = typeof value === 'object' && value !== null && 'n' in value ? value.n : undefined
    return Number.isInteger(n) ? { ok: true, value: { n } } : { ok: false, why: 'n must be a whole number' }
  }
}

const define = toolDefiner(compile)

const anyNumber: StandardSchema<number> = {
  '~standard': {
    version: 1,
    vendor: 'simulation',
    validate: (value) => (typeof value === 'number' ? { value } : { issues: [{ message: 'not a number' }] }),
  },
}

/** Counts effects in the state of the conversation. Calls that run in parallel must not lose updates of each other. */
export const tally: Plugin<number> = definePlugin({ id: 'tally', state: anyNumber, initial: 0 })

type Run = (context: ToolContext<JsonObject>) => HandlerResult<unknown>

function nodeOf({ scope }: ToolContext<JsonObject>): SimNode {
  return (scope as unknown as { readonly node: SimNode }).node
}

/** Performs the effect of the tool, which may fail before or after it happened. */
const work: Run = async (context) => {
  const node = nodeOf(context)
  const { faults } = node.world
  node.begins(context)
  await node.wait(
    `${context.call.name} works`,
    faults.strikes('tool-slow') ? 60_000 : node.world.random.between(0, 1500),
  )
  if (faults.strikes('tool-failed-before')) throw new Error('it could not begin')
  node.world.outside.effect(context.call.id)
  if (node.world.random.chance(0.3)) context.progress({ done: 1 })
  if (node.world.random.chance(0.5)) await node.wait(`${context.call.name} did it`, node.world.random.between(0, 500))
  if (faults.strikes('tool-failed-after')) throw new Error('it failed after its effect')
  if (context.agent.plugins.some(({ id }) => id === tally.id)) await context.state.update(tally, (n = 0) => n + 1)
  return { done: context.input['n'] ?? null }
}

const odd = (input: Json): boolean => ((input as JsonObject)['n'] as number) % 2 === 1

function oddUnlessRule(context: ToolContext<JsonObject>): { readonly required: boolean; readonly rules: 'may-relax' } {
  return { ...oddNumbers(context), rules: 'may-relax' }
}

function oddNumbers(context: ToolContext<JsonObject>): { readonly required: boolean } {
  nodeOf(context).world.askers.gate(context)
  return { required: odd(context.input) }
}

const BY_FINANCE = {
  required: true,
  reason: 'It is a lot.',
  approvers: { anyOf: ['group:finance'], count: 2 },
  remindAfter: 8000,
  escalate: { after: 20_000, to: ['group:board'] },
} as const

function toolsOf(version: ToolVersion): readonly Tool[] {
  const common = { input: INPUT, description: `Version ${version}.`, streaming: true } as const
  const steady = { input: INPUT, description: 'Always the same.', streaming: true } as const
  return [
    define({ ...steady, name: 'note', timeout: 20_000, run: work }),
    define({ ...steady, name: 'log.write', timeout: 20_000, run: work }),
    define({
      ...common,
      name: 'pay',
      approval: 'required',
      approvalTimeout: 60_000,
      timeout: 20_000,
      onLost: 'ask',
      run: work,
    }),
    define({
      ...common,
      name: 'wire',
      approval: BY_FINANCE,
      approvalTimeout: 60_000,
      timeout: 20_000,
      onLost: 'fail',
      run: work,
    }),
    define({
      ...common,
      name: 'mail',
      approval: oddUnlessRule,
      approvalTimeout: 40_000,
      onExpire: 'reject',
      timeout: 20_000,
      run: work,
    }),
    define({ ...steady, name: 'ship', timeout: 20_000, approvalTimeout: 60_000, onLost: verify, run: work }),
    define({ ...steady, name: 'once', timeout: 20_000, approvalTimeout: 60_000, onLost: 'ask', run: work }),
    define({ ...steady, name: 'quiz', approvalTimeout: 30_000, run: quiz }),
    define({
      ...common,
      name: 'interview',
      approval: oddNumbers,
      approvalTimeout: 60_000,
      timeout: 20_000,
      onLost: 'fail',
      run: interview,
    }),
    define({ ...steady, name: 'watch', timeout: 20_000, approvalTimeout: 20_000, run: watch }),
    define({ ...steady, name: 'stop', run: stop }),
    define({
      ...steady,
      name: 'form',
      executor: 'human',
      timeout: 40_000,
      onExpire: { answer: 'no answer' },
      output: { type: 'string' },
    }),
    define({ ...steady, name: 'sign', executor: 'human', timeout: 25_000, onExpire: 'cancel' }),
    define({ ...steady, name: 'browse', executor: 'client', timeout: 600_000, grace: 3000, late: 'reject' }),
    define({
      ...common,
      name: 'render',
      executor: 'client',
      approval: 'required',
      approvalTimeout: 40_000,
      timeout: 15_000,
    }),
    define({ ...steady, name: 'job', executor: 'external', timeout: 10_000, late: 'inbox' }),
    define({ ...steady, name: 'batch', executor: 'external', timeout: 45_000, async: true, late: 'inbox' }),
    define({
      ...common,
      name: 'order',
      executor: 'external',
      approval: 'required',
      approvalTimeout: 40_000,
      timeout: 30_000,
      async: true,
    }),
    define({ ...steady, name: 'hand', manual: true, approvalTimeout: 30_000 }),
    define({ ...steady, name: 'remind', timeout: 20_000, run: remind }),
  ]
}

async function verify(
  context: ToolContext<JsonObject>,
): Promise<
  { readonly happened: true; readonly result: Json } | { readonly happened: false } | { readonly happened: 'unknown' }
> {
  const node = nodeOf(context)
  await node.wait(`${context.call.name} is looked into`, node.world.random.between(0, 300))
  if (node.world.faults.strikes('verify-unclear')) return { happened: 'unknown' }
  return node.world.outside.happened(context.call.id) ? { happened: true, result: 'found' } : { happened: false }
}

/** Asks a person, sometimes only after its effect. */
const quiz: Run = async (context) => {
  const node = nodeOf(context)
  node.begins(context)
  await node.wait('quiz thinks', node.world.random.between(0, 200))
  return node.world.random.chance(0.7) ? askUser('Which one?') : toolError('no question comes to mind')
}

/** Asks several questions and resumes with each answer; performs its effect after the last one. */
const interview: Run = async (context) => {
  const node = nodeOf(context)
  const { resumed } = context
  node.begins(context)
  await node.wait('interview listens', node.world.random.between(0, 200))
  const asked = typeof resumed?.state === 'number' ? resumed.state : 0
  if (resumed?.answer?.kind === 'reject') return toolError('the answer was refused')
  if (asked < 4) return ask({ prompt: `Question ${asked + 1}?`, state: asked + 1 })
  node.world.outside.effect(context.call.id)
  return 'heard enough'
}

/** Polls something outside, and asks a person in between: it waits for different callers in turn. */
const watch: Run = async (context) => {
  const node = nodeOf(context)
  const { resumed } = context
  node.begins(context)
  await node.wait('watch looks', node.world.random.between(0, 200))
  const looked = typeof resumed?.state === 'number' ? resumed.state : 0
  if (resumed?.answer?.kind === 'reject') return toolError('the answer was refused')
  if (looked >= 4) return { looked }
  const state = looked + 1
  if (looked % 2 === 1) return ask({ prompt: 'Is it there?', state })
  return later({ after: node.world.random.between(1, 4000), state })
}

/** Makes a plan. */
const remind: Run = async (context) => {
  const node = nodeOf(context)
  node.begins(context)
  await node.wait('remind plans', node.world.random.between(0, 200))
  const made = context.plans.set({ id: 'reminder', what: 'look', runAfter: node.world.random.between(0, 20_000) })
  return { planned: made.ok }
}

const stop: Run = async (context) => {
  const node = nodeOf(context)
  node.begins(context)
  await node.wait('stop stops', 0)
  return node.world.random.chance(0.5) ? halt('enough', 'stopped') : 'not now'
}

const VERSIONS: Readonly<Record<ToolVersion, readonly Tool[]>> = { 1: toolsOf(1), 2: toolsOf(2) }

export function simTools(version: ToolVersion): readonly Tool[] {
  return VERSIONS[version]
}

/** Tools that need an approval only for some inputs. */
const ODD = new Set(['mail', 'interview'])
const APPROVERS: Readonly<Record<string, number>> = { pay: 1, wire: 2, render: 1, order: 1 }
const POLICY: Readonly<Record<string, OnLostPolicy>> = {
  pay: 'ask',
  once: 'ask',
  wire: 'fail',
  interview: 'fail',
  ship: 'verify',
}

export function toolFacts(name: string): Facts {
  return {
    approvers: (input) => APPROVERS[name] ?? (ODD.has(name) && odd(input) ? 1 : 0),
    onLost: POLICY[name] ?? 'retry',
    rulesMayRelax: name === 'mail',
  }
}
