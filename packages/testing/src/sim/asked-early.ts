/**
 * Models that were asked before any log called for it: about what a node was about to write. Either the log comes to that,
 * and then that step was asked for, or what was to be written came to nothing, and so did the question.
 */
import type { PromptMessage } from '@holdpoint/core'
import type { Step } from './conversation-record.ts'

export interface Early {
  readonly prompt: readonly PromptMessage[]
  readonly text: string
  asked: number
  excused: number
  /** What it was about is on its way. */
  sent: boolean
  /** The step it was for, once a log came to it. */
  step: Step | undefined
}

export class AskedEarly {
  /** By node, in one of its lives, and conversation. */
  readonly #all = new Map<string, Early[]>()

  /** Asked once more if it is not known to have come to nothing. */
  ask(node: string, conversation: string, prompt: readonly PromptMessage[]): Early {
    const text = JSON.stringify(prompt)
    const before = this.#of(node, conversation).findLast((early) => early.text === text && !early.sent)
    const early = before ?? { prompt, text, asked: 0, excused: 0, sent: false, step: undefined }
    if (!before) this.#of(node, conversation).push(early)
    early.asked++
    return early
  }

  /** The node writes: whatever it asked before was about this, or about nothing. */
  writes(node: string, conversation: string): void {
    for (const early of this.#of(node, conversation)) early.sent = true
  }

  /** The node is not told what became of it, and has reason to ask again. */
  unclear(node: string, conversation: string): void {
    for (const early of this.#of(node, conversation)) (early.step ?? early).excused++
  }

  /** What the node wrote came to nothing, and so did what it asked about it. */
  inVain(node: string, conversation: string): void {
    const landed = this.#of(node, conversation).filter(({ step }) => step)
    this.#all.set(`${node} ${conversation}`, landed)
  }

  /** A log has come to this step by what the node wrote. */
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
