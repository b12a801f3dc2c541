/**
 * Plays a recorded conversation: the model answers as recorded, and no tool runs, because each gets its recorded result. With the tools of
 * your agent, it shows whether they still take the same calls, with the same arguments, in the same order.
 */
import { defineAgent, toolDefiner, type Json, type JsonObject, type StandardSchema, type Tool } from '@holdpoint/core'
import { Session, type HeldCall } from '@holdpoint/runtime'
import { testPorts } from '../manual-clock.ts'
import { scriptedModel } from '../scripted-model.ts'
import type { RecordedToolCall, RecordedTurn, Recording } from './recording.ts'

export interface PlayOptions {
  /** The tools of your agent. They do not run. Default: tools that take any arguments. */
  readonly tools?: readonly Tool[]
}

export interface PlayedTurn {
  readonly calls: readonly PlayedCall[]
  /** The last reply. */
  readonly text: string
}

export interface PlayedCall {
  readonly tool: string
  /** As the tool got it. */
  readonly input: Json
  /** The kind of the hold, if a person or a program was asked. */
  readonly held?: HeldCall['kind']
  /** `ok`, or the code of the error. */
  readonly outcome: string
}

/** Throws for a call that the recorded turn does not have, and for a decision that it does not have. */
export async function playRecording(
  { agent: name, turns }: Recording,
  { tools }: PlayOptions = {},
): Promise<readonly PlayedTurn[]> {
  const model = scriptedModel(turns.flatMap(({ replies }) => replies))
  const stage = new Stage()
  const given = tools ?? anyTools(turns)
  const agent = defineAgent(
    { name, model, tools: given.map((tool) => stage.without(tool)), maxSteps: 1000, onToolError: 'continue' },
    testPorts(),
  )
  const session = Session.begin(agent)
  const played: PlayedTurn[] = []
  for (const turn of turns) {
    stage.begin(turn, played.length + 1)
    let result = await session.send(turn.message, turn.by === undefined ? {} : { by: turn.by })
    for (let held = session.holds; held.length > 0; held = session.holds) {
      for (const hold of held) await stage.decide(session, hold)
      result = await session.continue()
    }
    stage.check()
    if (result.status !== 'done')
      throw new Error(`Turn ${played.length + 1} ended with ${result.reason}: ${result.message ?? ''}`)
    const calls = result.steps.flatMap((step) => step.calls).map((call) => stage.played(call))
    played.push({ calls, text: result.text })
  }
  return played
}

type StepCall = { readonly callId: string; readonly name: string; readonly input: Json; readonly outcome?: unknown }

/** The recorded calls of the turn that is played, and what came of them. */
class Stage {
  #nth = 0
  #left: RecordedToolCall[] = []
  readonly #inputs = new Map<string, Json>()
  readonly #held = new Map<string, HeldCall['kind']>()
  readonly #problems: string[] = []

  begin({ calls }: RecordedTurn, nth: number): void {
    this.#nth = nth
    this.#left = [...calls]
  }

  /** The tool, without its own code. */
  without(tool: Tool): Tool {
    if (tool.executor !== 'server') return tool
    const run = ({ call, input }: { readonly call: { readonly id: string }; readonly input: unknown }): Json => {
      this.#inputs.set(call.id, input as Json)
      const recorded = this.#take(tool.name, input as Json)
      if (!recorded.outcome.ok) throw new Error(recorded.outcome.error.message)
      return recorded.outcome.value
    }
    return { ...tool, run }
  }

  /** Answers a hold as it was answered. */
  async decide(session: Session, hold: HeldCall): Promise<void> {
    const { callId, name, kind, input, endorsedBy } = hold
    this.#held.set(callId, this.#held.get(callId) ?? kind)
    if (!this.#inputs.has(callId)) this.#inputs.set(callId, input)
    const recorded = this.#left.find((each) => each.tool === name && same(each, input))
    // An approval comes before the answer of a client or a worker.
    const wanted = recorded?.decisions.filter(({ resolution }) => hold.accepts.includes(resolution.kind))
    const decision = wanted?.[kind === 'approval' ? endorsedBy.length : 0]
    if (!decision) throw new Error(`Turn ${this.#nth}: no decision about ${words(name, input)} was recorded.`)
    const { verdict, ...told } = await session.resolve(
      callId,
      decision.resolution,
      decision.by === undefined ? {} : { by: decision.by },
    )
    if (verdict !== 'accepted') throw new Error(`Turn ${this.#nth}: ${name}: ${verdict} ${JSON.stringify(told)}`)
  }

  played({ callId, name, input, outcome }: StepCall): PlayedCall {
    const held = this.#held.get(callId)
    const { ok, error } = (outcome ?? {}) as { readonly ok?: boolean; readonly error?: { readonly code: string } }
    return {
      tool: name,
      input: this.#inputs.get(callId) ?? input,
      ...(held && { held }),
      outcome: ok ? 'ok' : (error?.code ?? 'none'),
    }
  }

  /** A tool that throws is an error that the model reads, so what was wrong there is thrown here. */
  check(): void {
    const [problem] = this.#problems
    if (problem !== undefined) throw new Error(problem)
  }

  #take(tool: string, input: Json): RecordedToolCall {
    const at = this.#left.findIndex((each) => each.tool === tool && text(each.input) === text(input))
    const [recorded] = at === -1 ? [] : this.#left.splice(at, 1)
    if (recorded) return recorded
    const problem = `Turn ${this.#nth} calls ${words(tool, input)}, and the recorded turn does not.`
    this.#problems.push(problem)
    throw new Error(problem)
  }
}

/** An approver may have changed the input: then it was asked about another one than ran. */
function same({ input, asked = input }: RecordedToolCall, given: Json): boolean {
  return text(asked) === text(given) || text(input) === text(given)
}

/** With the members of objects in one order. */
function text(value: Json): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

function words(tool: string, input: Json): string {
  return `${tool} with ${JSON.stringify(input)}`
}

/** Takes any arguments, and changes them as the schema did that was recorded. */
function anything(found: readonly RecordedToolCall[]): StandardSchema<JsonObject> {
  const asRecorded = (value: unknown): unknown => {
    const call = found.find(({ input, asked = input, proposed = asked }) => text(proposed) === text(value as Json))
    return call ? structuredClone(call.asked ?? call.input) : value
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      validate: (value) => ({ value: asRecorded(value) as JsonObject }),
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  }
}

/** A tool of each name that the recording has. A call that people decided about needs an approval. */
function anyTools(turns: readonly RecordedTurn[]): readonly Tool[] {
  const define = toolDefiner(undefined)
  const calls = turns.flatMap((turn) => turn.calls)
  const named = Map.groupBy(
    calls.filter(({ outcome }) => outcome.ok || outcome.error.code !== 'unknown-tool'),
    ({ tool }) => tool,
  )
  return [...named].map(([name, found]) => {
    const common = { name, description: 'As recorded', input: anything(found) }
    const decided = found.flatMap(({ decisions }) => decisions)
    if (decided.some(({ resolution }) => resolution.kind === 'answer'))
      return define({
        ...common,
        executor: 'external',
        timeout: '1 day',
        approval: decided.some(({ resolution }) => resolution.kind === 'approve') ? 'required' : 'auto',
      })
    const isHeld = ({ input }: { readonly input: JsonObject }): boolean =>
      found.some((each) => each.decisions.length > 0 && same(each, input))
    return define({ ...common, approval: ({ input }) => isHeld({ input }), run: () => null })
  })
}
