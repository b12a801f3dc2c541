/**
 * What hooks make of what was said, before the model reads it: once a turn, and in a process that takes a turn over once
 * more for what was not to be kept.
 */
import type { EventBody } from '../log/log-event.ts'
import type { Inbound, UserPart } from '../log/message.ts'
import { partsOf } from '../prompt/render.ts'
import { Halt } from '../tool/handler-result.ts'
import type { TurnContext } from '../loop/turn-context.ts'
import { checkMessageAnswer } from './check-answer.ts'
import type { MessageAnswer, MessageHook } from './hooks.ts'
import { HookFailure, runHook } from './run-hook.ts'

export interface Brief {
  /** To be written before the model is asked, unless it was before. */
  readonly event: Briefed | undefined
  /** For the prompts of this turn alone. */
  readonly inject: readonly UserPart[]
  /** The turn ends before the model is asked. */
  readonly ends: { readonly reason: 'halted' | 'hook_failed'; readonly message: string } | undefined
}

type Briefed = Extract<EventBody, { type: 'turn.briefed' }>

const NOTHING: Brief = { event: undefined, inject: [], ends: undefined }

/** Of the newest turn that this process has asked about. */
export class Briefs {
  #newest: { readonly turnId: string; readonly value: Brief } | undefined

  of(turnId: string, context: TurnContext, signal: AbortSignal): Brief | Promise<Brief> {
    if (context.agent.hooks.beforeMessage.length === 0) return NOTHING
    return this.#newest?.turnId === turnId ? this.#newest.value : this.#ask(turnId, context, signal)
  }

  async #ask(turnId: string, context: TurnContext, signal: AbortSignal): Promise<Brief> {
    const value = await brief(turnId, context, signal)
    this.#newest = { turnId, value }
    return value
  }
}

async function brief(turnId: string, context: TurnContext, signal: AbortSignal): Promise<Brief> {
  const { beforeMessage } = context.agent.hooks
  const said = sayings(context)
  const run = new Briefing(context, signal, said)
  try {
    for (const hook of beforeMessage) {
      await ('parallel' in hook ? run.together(hook.parallel) : run.alone(hook))
      if (run.halt) return withheld(turnId, run.halt.hook, 'halted', run.halt.reason)
    }
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error
    return withheld(turnId, error.hook, 'hook_failed', error.message)
  }
  return { event: run.event(turnId), inject: run.inject, ends: undefined }
}

/** What was not let through is not read later either; a turn that takes it up again asks the hooks again. */
function withheld(turnId: string, hook: string, reason: 'halted' | 'hook_failed', message: string): Brief {
  return {
    event: { type: 'turn.briefed', turnId, withheld: true, hooks: [hook] },
    inject: [],
    ends: { reason, message },
  }
}

interface Sayings {
  readonly items: readonly Inbound[]
  /** As the model reads it so far. */
  readonly parts: readonly UserPart[]
  /** Hooks have let it through already, in this turn or in one that it takes up again. */
  readonly through: boolean
}

function sayings({ log, agent }: TurnContext): Sayings {
  const events = log.transcript.passages.at(-1)?.events ?? []
  const started = events.find((event) => event.type === 'turn.started' && event.items.length > 0)
  const items = started?.type === 'turn.started' ? started.items : []
  const briefed = events.findLast((event) => event.type === 'turn.briefed')
  const passed = briefed?.type === 'turn.briefed' && !briefed.withheld ? briefed : undefined
  return {
    items,
    parts: passed?.said ?? items.flatMap((item) => partsOf(item, agent.encodeOutcome)),
    through: passed !== undefined,
  }
}

class Briefing {
  readonly inject: UserPart[] = []
  halt: { readonly hook: string; readonly reason: string } | undefined
  readonly #context: TurnContext
  readonly #signal: AbortSignal
  readonly #items: readonly Inbound[]
  /** What is kept was written before. */
  readonly #written: boolean
  #parts: readonly UserPart[]
  #replaced = false
  readonly #kept: UserPart[] = []
  readonly #hooks: string[] = []

  constructor(context: TurnContext, signal: AbortSignal, { items, parts, through }: Sayings) {
    this.#context = context
    this.#signal = signal
    this.#items = items
    this.#parts = parts
    this.#written = through
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
    return runHook(hook, this.#context, this.#signal, async (base) =>
      checkMessageAnswer(hook.name, await hook.run({ ...base, parts, text, items: this.#items })),
    )
  }

  #take(hook: MessageHook, answer: MessageAnswer): void {
    if (answer instanceof Halt) this.halt = { hook: hook.name, reason: answer.reason }
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
