/** Runs one claimed call and posts its result. Renews the claim until then. After a lost claim, it posts nothing. */
import type { Json, ResolveResult } from '@holdpoint/core'
import type { ClaimedCall } from '@holdpoint/protocol'
import { retryUntilAborted } from './retry-until-aborted.ts'
import type { Calls, ClaimLost } from './calls.ts'
import { outcomeOf, type Outcome } from './outcome.ts'
import { isTemporary } from './temporary-failure.ts'
import { wait } from './wait.ts'
import type { WorkerTool } from './worker-tool.ts'

export interface ClaimedRunOptions {
  readonly calls: Calls
  readonly call: ClaimedCall
  readonly ttlMs: number
  readonly onResult?: (answer: ResolveResult | ClaimLost, call: ClaimedCall) => void
  readonly onError: (error: Error) => void
  /** The gateway does not show the progress of this tool. */
  readonly onUnshown: (tool: string) => void
}

export class ClaimedRun {
  readonly #options: ClaimedRunOptions
  /** Aborted when the claim is lost. */
  readonly #lost = new AbortController()
  readonly #ended = new AbortController()

  constructor(options: ClaimedRunOptions) {
    this.#options = options
  }

  async run(tool: WorkerTool): Promise<void> {
    const { call } = this.#options
    const { signal } = this.#lost
    void this.#renew()
    try {
      const progress = (value: Json): Promise<void> => this.#tell(value)
      const outcome = await outcomeOf(() => tool(call.input, { call, signal, progress }))
      if (!signal.aborted) await this.#postResult(outcome)
    } finally {
      this.#ended.abort()
    }
  }

  /** Gives the call back, if this run has not ended. */
  async release(): Promise<void> {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.#lose('This worker stops.')
    const { calls, call } = this.#options
    await calls.release(call.callId, call.claim)
  }

  async #postResult(outcome: Outcome): Promise<void> {
    const { call, onResult } = this.#options
    const answer = await this.#post(outcome)
    const bad = answer.verdict === 'invalid' && !('error' in outcome)
    // The model reads why the result was invalid, and can react.
    const final = bad ? await this.#post({ error: answer.message }) : answer
    onResult?.(final, call)
  }

  #post(outcome: Outcome): Promise<ResolveResult | ClaimLost> {
    const { calls, call } = this.#options
    const { claim, callId } = call
    const { signal } = this.#lost
    const body = 'error' in outcome ? { claim, error: outcome.error } : { claim, result: outcome.value }
    return retryUntilAborted(signal, (key) => calls.result(callId, body, { key, signal }))
  }

  async #renew(): Promise<void> {
    const { ttlMs } = this.#options
    const { signal } = this.#ended
    let until = Date.now() + ttlMs
    while (!signal.aborted) {
      await wait(ttlMs / 3, signal).catch(() => undefined)
      if (signal.aborted) return
      const askedAt = Date.now()
      try {
        if (!(await this.#renewOnce({}))) return
        until = askedAt + ttlMs
      } catch (error) {
        if (signal.aborted) return
        this.#options.onError(error as Error)
        // Another worker may have the call by now.
        if (!isTemporary(error) || Date.now() >= until)
          return this.#lose('The claim ran out before it could be renewed.')
      }
    }
  }

  async #tell(value: Json): Promise<void> {
    if (this.#ended.signal.aborted || this.#lost.signal.aborted) return
    await this.#renewOnce({ value }).catch(this.#options.onError)
  }

  /** Renews the claim, with progress if there is any. False if the claim is lost. */
  async #renewOnce(more: { readonly value?: Json }): Promise<boolean> {
    const { calls, call, ttlMs } = this.#options
    const answer = await calls.progress(
      call.callId,
      { claim: call.claim, ttlMs, ...more },
      { signal: this.#ended.signal },
    )
    if (!('verdict' in answer)) {
      if (answer.shown === false) this.#options.onUnshown(call.name)
      return true
    }
    this.#lose(answer.message)
    return false
  }

  #lose(why: string): void {
    this.#lost.abort(new DOMException(why, 'AbortError'))
  }
}
