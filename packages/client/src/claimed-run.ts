/** One claimed call, from its claim to its result. The claim is renewed until then; without it, nothing is told. */
import type { Json, ResolveAnswer } from '@holdpoint/core'
import type { ClaimedCall } from '@holdpoint/protocol'
import { answerWithin } from './answer-within.ts'
import type { Calls, ClaimLost } from './calls.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import { passes } from './passing.ts'
import { wait } from './wait.ts'
import type { WorkerTool } from './worker-tool.ts'

export interface ClaimedRunOptions {
  readonly calls: Calls
  readonly call: ClaimedCall
  readonly ttlMs: number
  readonly onResult?: (answer: ResolveAnswer | ClaimLost, call: ClaimedCall) => void
  readonly onError: (error: Error) => void
  /** The gateway does not show the progress of this tool. */
  readonly onUnshown: (tool: string) => void
}

export class ClaimedRun {
  readonly #options: ClaimedRunOptions
  /** The claim is not ours any more. */
  readonly #lost = new AbortController()
  readonly #ended = new AbortController()

  constructor(options: ClaimedRunOptions) {
    this.#options = options
  }

  async carryOut(tool: WorkerTool): Promise<void> {
    const { call } = this.#options
    const { signal } = this.#lost
    void this.#renew()
    try {
      const progress = (value: Json): Promise<void> => this.#tell(value)
      const outcome = await outcomeOf(() => tool(call.input, { call, signal, progress }))
      if (!signal.aborted) await this.#bring(outcome)
    } finally {
      this.#ended.abort()
    }
  }

  /** Gives the call back, if it is still ours to give. */
  async release(): Promise<void> {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#lose('This worker stops.')
    const { calls, call } = this.#options
    await calls.release(call.callId, call.claim)
  }

  async #bring(outcome: Outcome): Promise<void> {
    const { call, onResult } = this.#options
    const answer = await this.#post(outcome)
    const bad = answer.verdict === 'invalid' && !('error' in outcome)
    // The model can do something about it, if it is told.
    const told = bad ? await this.#post({ error: answer.message }) : answer
    onResult?.(told, call)
  }

  #post(outcome: Outcome): Promise<ResolveAnswer | ClaimLost> {
    const { calls, call } = this.#options
    const { claim, callId } = call
    const { signal } = this.#lost
    const body = 'error' in outcome ? { claim, error: outcome.error } : { claim, result: outcome.value }
    return answerWithin(signal, (key) => calls.result(callId, body, { key, signal }))
  }

  async #renew(): Promise<void> {
    const { ttlMs } = this.#options
    const { signal } = this.#ended
    let until = Date.now() + ttlMs
    while (!signal.aborted) {
      await wait(ttlMs / 3, signal).catch(() => undefined)
      if (signal.aborted) return
      const asked = Date.now()
      try {
        if (!(await this.#say({}))) return
        until = asked + ttlMs
      } catch (error) {
        if (signal.aborted) return
        this.#options.onError(error as Error)
        // By now somebody else may be at it.
        if (!passes(error) || Date.now() >= until) return this.#lose('The claim ran out before it could be renewed.')
      }
    }
  }

  async #tell(value: Json): Promise<void> {
    if (this.#ended.signal.aborted || this.#lost.signal.aborted) return
    await this.#say({ value }).catch(this.#options.onError)
  }

  /** Whether the claim is still ours. */
  async #say(more: { readonly value?: Json }): Promise<boolean> {
    const { calls, call, ttlMs } = this.#options
    const told = await calls.progress(
      call.callId,
      { claim: call.claim, ttlMs, ...more },
      { signal: this.#ended.signal },
    )
    if (!('verdict' in told)) {
      if (told.shown === false) this.#options.onUnshown(call.name)
      return true
    }
    this.#lose(told.message)
    return false
  }

  #lose(why: string): void {
    this.#lost.abort(new DOMException(why, 'AbortError'))
  }
}
