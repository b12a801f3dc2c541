/** Checks every model call, on any node, against the log at that moment. */
import { renderPrompt, type LogEvent, type ModelRequest, type PromptMessage } from '@holdpoint/core'
import { EarlyModelCalls, type Early } from './early-model-calls.ts'
import type { ConversationRecord, Step } from './conversation-record.ts'
import type { SimNode } from './node.ts'
import type { Truth } from './truth.ts'
import type { Judge } from './violation.ts'

/** The result that the prompt shows while a call's answer is pending. */
const PENDING = /"status":"pending","toolCallId":"([^"]+)"/

/**
 * How long a driver may act on old information: the store is unavailable, then its disk is full, then the process is
 * paused.
 */
const SLOWEST = 90_000

interface Conversations {
  /** Some conversations show the model only so many messages. */
  readonly windows: ReadonlyMap<string, number>
  /** Where no plugin or hook takes part in a prompt, the model may be called before the message is written. */
  readonly plain: ReadonlySet<string>
}

export class ModelCallChecks {
  readonly #truth: Truth
  readonly #judge: Judge
  /** The steps for each prompt that a log requires. A continued turn begins with the same prompt. */
  readonly #due = new Map<string, Step[]>()
  readonly #seen = new Set<Step>()
  /** By node and generation: every prompt. */
  readonly #asked = new Set<string>()
  readonly early: EarlyModelCalls = new EarlyModelCalls()
  /** The node that called the model for a step before the log had it. */
  readonly #landedBy = new Map<Step, string>()
  readonly #all: Conversations

  constructor(truth: Truth, judge: Judge, all: Conversations) {
    this.#truth = truth
    this.#judge = judge
    this.#all = all
  }

  /** A log has new events, and may require a prompt. */
  follow(record: ConversationRecord, written: readonly LogEvent[], writer = ''): void {
    const { id, steps } = record
    if (id.startsWith('agent:')) return
    for (const step of steps.slice(steps.findLastIndex((each) => this.#seen.has(each)) + 1)) {
      this.#seen.add(step)
      const text = this.#promptOf(record, step)
      this.#due.set(text, [...(this.#due.get(text) ?? []), step])
      const early = this.early.landed(writer, id, step, text)
      if (!early) continue
      this.#landedBy.set(step, writer)
      this.#checkPairs(early.prompt, record, (what) => () => `${id} on ${writer}: ${what}`)
    }
    for (const event of written) {
      if (event.type !== 'model.replied') continue
      const step = steps.find((each) => each.turnId === event.turnId && each.step === event.step)
      const asked = step && this.#asked.has(`${writer} ${this.#promptOf(record, step)}`)
      this.#judge.require(asked === true, 'prompt-is-the-log', () => `${id}: ${event.seq} replies to something else`)
    }
  }

  #promptOf({ id, events }: ConversationRecord, { seq }: Step): string {
    return JSON.stringify(renderPrompt([id], newest(events.slice(0, seq), this.#all.windows.get(id) ?? Infinity)))
  }

  /** A model call begins. `key` names its step. */
  asked(
    { prompt }: ModelRequest,
    node: SimNode,
  ): { readonly conversation: string; readonly key: Step | Early | undefined } {
    const conversation = conversationIn(prompt)
    const record = this.#truth.conversations.get(conversation)
    const say = (what: string) => (): string => `${conversation} on ${node.name}: ${what}`
    const asked = `${node.id} ${JSON.stringify(prompt)}`
    const before = this.#asked.has(asked)
    this.#asked.add(asked)
    if (conversation.startsWith('agent:')) return { conversation, key: this.#askedInCycle(prompt, record, node, say) }
    const steps = this.#due.get(JSON.stringify(prompt)) ?? []
    // Two turns may need the same prompt. A node that does not know the newer turn calls the model for the older one.
    const step = steps.findLast(({ asked, excused }) => asked <= excused) ?? steps.at(-1)
    // A continued turn needs the same prompt again, and two nodes may call the model at once without knowing of each other.
    const over = step && node.knowsFor(conversation, step.until) >= 0
    const others = step && (this.#landedBy.get(step) ?? node.id) !== node.id
    const unknown = others && node.knows(conversation) < step.seq
    if (!step || ((over || unknown) && this.#all.plain.has(conversation)))
      return { conversation, key: this.#askedEarly(prompt, conversation, node, before, say) }
    this.#checkPairs(prompt, record, say)
    const which = `${step.turnId} step ${step.step}`
    // A node that cannot know yet that the step is over may call the model. A node that waits for the store learns it later.
    const knew = node.knowsFor(conversation, step.until)
    this.#judge.require(knew < SLOWEST, 'model-waits', say(`${which} was over at ${step.until}, ${knew} ms ago`))
    if (record && this.#truth.owner(conversation).node !== node.id) {
      // A node that does not know yet that it was replaced may still call the model, without effect.
      const replaced = node.knowsFor(conversation, record.handedOverAt)
      this.#judge.require(
        replaced < SLOWEST,
        'model-spend',
        say(`${which} was requested by a node that is not the owner`),
      )
    } else {
      const most = 1 + step.excused
      const once = ++step.asked <= most
      this.#judge.require(once, 'model-spend', say(`${which} was asked ${step.asked} times, not ${most}`))
    }
    // After a model failure, the call of a running step may be retried.
    const known = node.closing?.get(conversation) ?? 0
    const begunSince = node.closing !== undefined && steps.every(({ seq }) => seq > known)
    this.#judge.require(!begunSince, 'drain-begins-nothing', say(`${which} began after the node was told to close`))
    return { conversation, key: step }
  }

  /** Allowed only if no plugin or hook takes part in the prompt, and never on a node that is closing. */
  #askedEarly(
    prompt: readonly PromptMessage[],
    conversation: string,
    node: SimNode,
    before: boolean,
    say: (what: string) => () => string,
  ): Early {
    const early = this.early.ask(node.id, conversation, prompt)
    const may = this.#all.plain.has(conversation)
    this.#judge.require(may, 'prompt-is-the-log', say(`no log requires this prompt: ${early.text}`))
    // After a model failure, the call of a running step is retried.
    const begins = node.closing !== undefined && !before
    this.#judge.require(!begins, 'drain-begins-nothing', say('it began after the node was told to close'))
    // The reads for the prompt may have taken until its draft had failed. Then the call has no effect.
    const most = 2 + early.excused
    this.#judge.require(early.asked <= most, 'model-spend', say(`asked ${early.asked} times, not ${most}, for a draft`))
    return early
  }

  /** The prompt of an autonomous agent has more than its log, but always every item of its cycle. */
  #askedInCycle(
    prompt: readonly PromptMessage[],
    record: ConversationRecord | undefined,
    node: SimNode,
    say: (what: string) => () => string,
  ): Step | undefined {
    const step = record?.step
    this.#checkPairs(prompt, record, say)
    if (!record || !step || this.#truth.owner(record.id).node !== node.id) return undefined
    const text = JSON.stringify(prompt)
    const started = record.events.findLast((event) => event.type === 'turn.started')
    for (const item of started?.type === 'turn.started' ? started.items : []) {
      if (item.kind !== 'event' || item.event.type !== 'space.message') continue
      const { text: words } = item.event
      this.#judge.require(text.includes(words), 'prompt-is-the-log', say(`"${words}" is missing`))
    }
    return step
  }

  /** The model failed, so it may be called again. */
  failed(asked: Step | Early | undefined): void {
    const step = asked && 'sent' in asked ? (asked.step ?? asked) : asked
    if (step) step.excused++
  }

  #checkPairs(
    prompt: readonly PromptMessage[],
    record: ConversationRecord | undefined,
    say: (what: string) => () => string,
  ): void {
    const seen = new Set<string>()
    for (const [index, message] of prompt.entries()) {
      if (message.role !== 'assistant') continue
      const calls = message.parts.flatMap((part) => (part.type === 'call' ? [part.id] : []))
      const after = prompt[index + 1]
      const results = after?.role === 'tool' ? after.results : []
      const paired = calls.join() === results.map(({ id }) => id).join() && !calls.some((id) => seen.has(id))
      this.#judge.require(paired, 'prompt-paired', say(`calls ${calls.join()}, results ${JSON.stringify(results)}`))
      for (const id of calls) seen.add(id)
      for (const { content } of results) {
        const pending = PENDING.exec(JSON.stringify(content))?.[1]
        if (pending === undefined) continue
        const outcome = record?.calls.get(pending)?.outcome?.value
        const settled = outcome?.ok === true && PENDING.test(JSON.stringify(outcome.value))
        this.#judge.require(settled, 'prompt-paired', say(`${pending} reads pending, and is not`))
      }
    }
  }
}

/** Each conversation has its own agent, whose instructions are the name of the conversation. */
function conversationIn(prompt: readonly PromptMessage[]): string {
  const [first] = prompt
  return first?.role === 'system' ? first.text : ''
}

/**
 * Whole turns, from where the log says the last prompt began. Once they have more messages than that, the oldest go until
 * a quarter is free; the newest stays in any case. A turn without a message of its own goes on with the one before.
 */
function newest(events: readonly LogEvent[], most: number): readonly LogEvent[] {
  let from = 1
  const turns: { readonly seq: number; messages: number }[] = []
  for (const event of events) {
    if (event.type === 'turn.started' && event.items.length > 0) turns.push({ seq: event.seq, messages: 0 })
    const turn = turns.at(-1)
    if (event.type === 'turn.started' && turn) turn.messages++
    if (event.type !== 'model.replied') continue
    if (turn) turn.messages += event.reply.parts.some(({ type }) => type === 'call') ? 2 : 1
    from = event.shown?.from ?? from
  }
  const shown = turns.filter(({ seq }) => seq >= from)
  const count = (): number => shown.reduce((sum, { messages }) => sum + messages, 0)
  if (count() > most) while (shown.length > 1 && count() > 0.75 * most) shown.shift()
  return events.slice((shown[0]?.seq ?? 1) - 1)
}
