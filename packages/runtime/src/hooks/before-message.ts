/**
 * Runs the hooks on the message of a turn, before the model reads it. They run once per turn. A process that takes over the
 * log runs those again whose additions are not stored.
 */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { Inbound, UserPart } from '@holdpoint/core/internal/log/message'
import { partsOf } from '@holdpoint/core/internal/prompt/render'
import { Halt } from '@holdpoint/core/internal/tool/handler-result'
import type { TurnContext } from '../conversation/turn-context.ts'
import { checkMessageHookResult } from './check-hook-result.ts'
import type { MessageHookResult, MessageHook } from '@holdpoint/core/internal/hooks/hooks'
import { HookFailure, runHook } from './run-hook.ts'

export interface BeforeMessageResult {
  /** The event to append before the model is called, unless it is in the log already. */
  readonly event: MessageChanged | undefined
  /** Added to the prompts of this turn, and not stored. */
  readonly inject: readonly UserPart[]
  /** Set when a hook ends the turn before the model is called. */
  readonly ends: { readonly reason: 'halted' | 'hook_failed'; readonly message: string } | undefined
}

type MessageChanged = Extract<EventBody, { type: 'message.changed' }>

const NOTHING: BeforeMessageResult = { event: undefined, inject: [], ends: undefined }

/** Keeps the result for the newest turn, so that hooks do not run again in each step. */
export class BeforeMessageResults {
  #newest: { readonly turnId: string; readonly value: BeforeMessageResult } | undefined

  of(turnId: string, context: TurnContext, signal: AbortSignal): BeforeMessageResult | Promise<BeforeMessageResult> {
    if (context.agent.hooks.beforeMessage.length === 0) return NOTHING
    return this.#newest?.turnId === turnId ? this.#newest.value : this.#ask(turnId, context, signal)
  }

  async #ask(turnId: string, context: TurnContext, signal: AbortSignal): Promise<BeforeMessageResult> {
    const value = await runHooks(turnId, context, signal)
    this.#newest = { turnId, value }
    return value
  }
}

async function runHooks(turnId: string, context: TurnContext, signal: AbortSignal): Promise<BeforeMessageResult> {
  const { beforeMessage } = context.agent.hooks
  const run = new HooksRun(context, signal, messageOf(context))
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

/** The message is left out of later prompts too. A turn that continues with it runs the hooks again. */
function withheld(
  turnId: string,
  hook: string,
  reason: 'halted' | 'hook_failed',
  message: string,
): BeforeMessageResult {
  return {
    event: { type: 'message.changed', turnId, withheld: true, hooks: [hook] },
    inject: [],
    ends: { reason, message },
  }
}

interface TurnMessage {
  readonly items: readonly Inbound[]
  /** The message as the model reads it. */
  readonly parts: readonly UserPart[]
  /** The durable results of the hooks are in the log: of this turn, or of the one that it continues. */
  readonly stored: boolean
}

function messageOf({ log, agent }: TurnContext): TurnMessage {
  const events = log.transcript.passages.at(-1)?.events ?? []
  const started = events.find((event) => event.type === 'turn.started' && event.items.length > 0)
  const items = started?.type === 'turn.started' ? started.items : []
  const changed = events.findLast((event) => event.type === 'message.changed')
  const accepted = changed?.type === 'message.changed' && !changed.withheld ? changed : undefined
  return {
    items,
    parts: accepted?.replacement ?? items.flatMap((item) => partsOf(item, agent.encodeOutcome)),
    stored: accepted !== undefined,
  }
}

class HooksRun {
  readonly inject: UserPart[] = []
  halt: { readonly hook: string; readonly reason: string } | undefined
  readonly #context: TurnContext
  readonly #signal: AbortSignal
  readonly #items: readonly Inbound[]
  /** The durable results are in the log already. */
  readonly #stored: boolean
  #parts: readonly UserPart[]
  #replaced = false
  readonly #kept: UserPart[] = []
  readonly #hooks: string[] = []

  constructor(context: TurnContext, signal: AbortSignal, { items, parts, stored }: TurnMessage) {
    this.#context = context
    this.#signal = signal
    this.#items = items
    this.#parts = parts
    this.#stored = stored
  }

  async alone(hook: MessageHook): Promise<void> {
    if (this.#stored && hook.durable === true) return
    const answer = await this.#run(hook)
    this.#take(hook, answer)
    if (!answer || answer instanceof Halt || answer.replace === undefined || this.#stored) return
    this.#parts = asParts(answer.replace)
    this.#replaced = true
    this.#hooks.push(hook.name)
  }

  /** Each hook of the group gets the message as it was before the group. */
  async together(hooks: readonly MessageHook[]): Promise<void> {
    const wanted = hooks.filter((hook) => !this.#stored || hook.durable !== true)
    const answers = await Promise.all(wanted.map((hook) => this.#run(hook)))
    for (const [index, hook] of wanted.entries()) {
      const answer = answers[index]
      if (answer && !(answer instanceof Halt) && answer.replace !== undefined)
        throw new HookFailure(hook.name, 'is in a parallel group, where hooks may add but not replace.')
      this.#take(hook, answer)
      if (this.halt) return
    }
  }

  event(turnId: string): BeforeMessageResult['event'] {
    if (this.#hooks.length === 0 || this.#stored) return undefined
    const hooks = [...new Set(this.#hooks)]
    return {
      type: 'message.changed',
      turnId,
      ...(this.#replaced && { replacement: this.#parts }),
      ...(this.#kept.length > 0 && { added: this.#kept }),
      hooks,
    }
  }

  #run(hook: MessageHook): Promise<MessageHookResult> {
    const parts = this.#parts
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    return runHook(hook, this.#context, this.#signal, async (base) =>
      checkMessageHookResult(hook.name, await hook.run({ ...base, parts, text, items: this.#items })),
    )
  }

  #take(hook: MessageHook, answer: MessageHookResult): void {
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
