/**
 * What hooks make of what was said, before the model reads it: once a turn, and in a process that takes a turn over once
 * more for what was not to be kept.
 */
import type { EventBody } from '../log/log-event.ts'
import type { Inbound, UserPart } from '../log/message.ts'
import { partsOf } from '../prompt/render.ts'
import { Halt } from '../tool/handler-result.ts'
import type { World } from '../loop/world.ts'
import type { MessageAnswer, MessageHook } from './hooks.ts'
import { HookFailure, runHook } from './run-hook.ts'

export interface Brief {
  /** To be written, unless it was before. */
  readonly event: Extract<EventBody, { type: 'turn.briefed' }> | undefined
  /** For the prompts of this turn alone. */
  readonly inject: readonly UserPart[]
  /** The turn ends before the model is asked. */
  readonly halt: Halt | undefined
}

const NOTHING: Brief = { event: undefined, inject: [], halt: undefined }

/** Of the turn that is going on, as far as this process has asked. */
export class Briefs {
  #newest: { readonly turnId: string; readonly value: Brief } | undefined

  async of(turnId: string, world: World, signal: AbortSignal): Promise<Brief> {
    if (this.#newest?.turnId !== turnId) this.#newest = { turnId, value: await brief(world, signal) }
    return this.#newest.value
  }
}

async function brief(world: World, signal: AbortSignal): Promise<Brief> {
  const { beforeMessage } = world.agent.hooks
  const { turn } = world.log.state
  if (beforeMessage.length === 0 || turn.phase === 'rest') return NOTHING
  const said = sayings(world, turn.turnId)
  if (said.items.length === 0) return NOTHING
  const run = new Briefing(world, signal, said.items, said.parts, turn.briefed)
  for (const hook of beforeMessage) {
    await ('parallel' in hook ? run.together(hook.parallel) : run.alone(hook))
    if (run.halt) break
  }
  return { event: run.event(turn.turnId), inject: run.inject, halt: run.halt }
}

/** What the turn is about, and as what the model reads it if hooks have said so already. */
function sayings(
  { log, agent }: World,
  turnId: string,
): { readonly items: readonly Inbound[]; readonly parts: readonly UserPart[] } {
  const events = log.transcript.passages.at(-1)?.events ?? []
  const started = events.find((event) => event.type === 'turn.started' && event.turnId === turnId)
  const items = started?.type === 'turn.started' ? started.items : []
  const briefed = events.find((event) => event.type === 'turn.briefed' && event.turnId === turnId)
  const said = briefed?.type === 'turn.briefed' ? briefed.said : undefined
  return { items, parts: said ?? items.flatMap((item) => partsOf(item, agent.encodeOutcome)) }
}

class Briefing {
  readonly inject: UserPart[] = []
  halt: Halt | undefined
  readonly #world: World
  readonly #signal: AbortSignal
  readonly #items: readonly Inbound[]
  /** What is kept was written before. */
  readonly #written: boolean
  #parts: readonly UserPart[]
  #replaced = false
  readonly #kept: UserPart[] = []
  readonly #hooks: string[] = []

  constructor(
    world: World,
    signal: AbortSignal,
    items: readonly Inbound[],
    parts: readonly UserPart[],
    written: boolean,
  ) {
    this.#world = world
    this.#signal = signal
    this.#items = items
    this.#parts = parts
    this.#written = written
  }

  async alone(hook: MessageHook): Promise<void> {
    if (this.#written && hook.durable === true) return
    const answer = await this.#run(hook)
    this.#take(hook, answer)
    if (!answer || answer instanceof Halt || answer.replace === undefined || this.#written) return
    this.#parts = asParts(answer.replace)
    this.#replaced = true
    this.#hooks.push(hook.name)
  }

  /** Each sees what was there before the group. */
  async together(hooks: readonly MessageHook[]): Promise<void> {
    const wanted = hooks.filter((hook) => !this.#written || hook.durable !== true)
    const answers = await Promise.all(wanted.map((hook) => this.#run(hook)))
    for (const [index, hook] of wanted.entries()) {
      const answer = answers[index]
      if (answer && !(answer instanceof Halt) && answer.replace !== undefined)
        throw new HookFailure(hook.name, 'is in a parallel group, where hooks may add but not replace.')
      this.#take(hook, answer)
      if (this.halt) return
    }
  }

  event(turnId: string): Brief['event'] {
    if (this.#hooks.length === 0 || this.#written) return undefined
    const hooks = [...new Set(this.#hooks)]
    return {
      type: 'turn.briefed',
      turnId,
      ...(this.#replaced && { said: this.#parts }),
      ...(this.#kept.length > 0 && { added: this.#kept }),
      hooks,
    }
  }

  #run(hook: MessageHook): Promise<MessageAnswer> {
    const parts = this.#parts
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    return runHook(hook, this.#world, this.#signal, (context) =>
      hook.run({ ...context, parts, text, items: this.#items }),
    )
  }

  #take(hook: MessageHook, answer: MessageAnswer): void {
    if (answer instanceof Halt) this.halt = answer
    else if (answer?.add !== undefined) {
      const added = asParts(answer.add)
      if (hook.durable !== true) this.inject.push(...added)
      else {
        this.#kept.push(...added)
        this.#hooks.push(hook.name)
      }
    }
  }
}

function asParts(given: string | readonly UserPart[]): readonly UserPart[] {
  return typeof given === 'string' ? [{ type: 'text', text: given }] : given
}
