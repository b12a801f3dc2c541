/**
 * Model calls made before the log has the events they are about, while the node writes them. Either the write succeeds,
 * and the call counts for its step, or the write fails, and the call has no effect.
 */
import type { PromptMessage } from '@holdpoint/core'
import type { Step } from './conversation-record.ts'

export interface Early {
  readonly prompt: readonly PromptMessage[]
  readonly text: string
  asked: number
  excused: number
  /** The write that the call is about was sent. */
  sent: boolean
  /** The step that the call is for, once the log has it. */
  step: Step | undefined
}

export class EarlyModelCalls {
  /** By node and generation, and conversation. */
  readonly #all = new Map<string, Early[]>()

  /** Counts a repeated call unless the first one is known to have failed. */
  ask(node: string, conversation: string, prompt: readonly PromptMessage[]): Early {
    const text = JSON.stringify(prompt)
    const before = this.#of(node, conversation).findLast((early) => early.text === text && !early.sent)
    const early = before ?? { prompt, text, asked: 0, excused: 0, sent: false, step: undefined }
    if (!before) this.#of(node, conversation).push(early)
    early.asked++
    return early
  }

  /** The node writes. Its earlier calls were about this write. */
  writes(node: string, conversation: string): void {
    for (const early of this.#of(node, conversation)) early.sent = true
  }

  /** The node does not learn the result of its write, so it may call the model again. */
  unclear(node: string, conversation: string): void {
    for (const early of this.#of(node, conversation)) (early.step ?? early).excused++
  }

  /** The write failed, so the calls about it have no effect. */
  refused(node: string, conversation: string): void {
    const landed = this.#of(node, conversation).filter(({ step }) => step)
    this.#all.set(`${node} ${conversation}`, landed)
  }

  /** The log reached this step with the node's write. */
  landed(node: string, conversation: string, step: Step, text: string): Early | undefined {
    const early = this.#of(node, conversation).findLast((each) => each.text === text && !each.step)
    if (!early) return undefined
    early.step = step
    step.asked += early.asked
    step.excused += early.excused
    return early
  }

  #of(node: string, conversation: string): Early[] {
    const key = `${node} ${conversation}`
    const known = this.#all.get(key)
    if (known) return known
    const none: Early[] = []
    this.#all.set(key, none)
    return none
  }
}
