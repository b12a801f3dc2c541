/**
 * Checks the messages in spaces and their deliveries, from the logs. Every message has a unique text, so the checks find duplicates,
 * second deliveries and wrong recipients.
 */
import { memberKey, type InboxItem, type LogEvent, type Member } from '@holdpoint/core'
import type { Posted } from '@holdpoint/spaces'
import type { ConversationRecord } from './conversation-record.ts'
import type { ResponseCheck } from './requests.ts'
import type { Judge } from './violation.ts'

export interface Post {
  readonly space: string
  readonly text: string
  readonly from: Member
  /** The newest acknowledged seq before the message was first sent. */
  after: number | undefined
  deliveries: number
  denied: boolean
}

interface Message {
  readonly text: string
  readonly from: Member
  readonly seq: number
}

/** A space, computed from its log without the code under test. */
interface Room {
  readonly members: Map<string, Member>
  readonly messages: Map<number, Message>
  chain: number
  most: number
  /** The newest seq that an author of a post got. */
  acknowledged: number
}

export class SpaceChecks {
  readonly #judge: Judge
  readonly #rooms = new Map<string, Room>()
  readonly #posts = new Map<string, Post>()
  /** Where each message was written. */
  readonly #written = new Map<string, number>()
  /** By agent, space and seq: the deliveries that are due, and how often each happened. */
  readonly #deliveries = new Map<string, number>()
  /** By agent and space: the newest delivered seq. */
  readonly #newest = new Map<string, number>()
  readonly #triggers = new Set<string>()
  readonly #triggered = new Set<string>()
  #words = 0

  constructor(judge: Judge) {
    this.#judge = judge
  }

  /** A text that was never used before. */
  newText(): string {
    return `word ${++this.#words}`
  }

  post(space: string, from: Member): Post {
    const post = {
      space,
      from,
      text: `${this.newText()} of ${from.id}`,
      after: undefined,
      deliveries: 0,
      denied: false,
    }
    this.#posts.set(post.text, post)
    return post
  }

  trigger(agent: string): string {
    const id = `${agent} ${++this.#words}`
    this.#triggers.add(id)
    return id
  }

  /** A node receives a post. */
  begins(post: Post): ResponseCheck<Posted> {
    post.deliveries++
    post.after ??= this.#room(post.space).acknowledged
    const there = this.#written.has(post.text)
    return { told: (answer) => this.#told(post, answer, there) }
  }

  /** `before`: it was in the log when the request began. */
  #told(post: Post, answer: Posted, before: boolean): void {
    const { space, text, after = 0 } = post
    const room = this.#room(space)
    const say = (what: string) => (): string => `"${text}" in ${space}: ${what}`
    if (!answer.ok) {
      this.#judge.require(!before, 'post-kept', say(`refused with ${answer.refusal}, although it was in the log`))
      if (post.deliveries > 1) return
      post.denied = true
      this.#judge.require(
        !this.#written.has(text),
        'post-kept',
        say(`refused with ${answer.refusal}, although it is in the log`),
      )
      return
    }
    const there = room.messages.get(answer.seq)?.text === text
    this.#judge.require(there, 'post-kept', say(`the answer says that it has seq ${answer.seq}`))
    this.#judge.require(
      answer.seq > after,
      'space-order',
      say(`it has seq ${answer.seq}, although ${after} was acknowledged before`),
    )
    room.acknowledged = Math.max(room.acknowledged, answer.seq)
  }

  follow({ id, calls }: ConversationRecord, events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.type === 'space.opened') this.#room(id).most = event.agentMessages
      if (event.type === 'member.joined') this.#room(id).members.set(memberKey(event.member), event.member)
      if (event.type === 'member.left') this.#room(id).members.delete(memberKey(event.member))
      if (event.type === 'message.posted') this.#posted(id, event)
      if (event.type === 'message.queued' && event.item.kind === 'event') this.#queued(id, event.item)
      if (event.type === 'call.settled' && event.outcome.ok && calls.get(event.callId)?.tool === 'send_message')
        this.#checkSent(id, event.outcome.value)
    }
  }

  #posted(id: string, event: Extract<LogEvent, { type: 'message.posted' }>): void {
    const { text, from, seq, quiet = false } = event
    const room = this.#room(id)
    const say = (what: string) => (): string => `${id} ${seq} "${text}": ${what}`
    this.#judge.require(!this.#written.has(text), 'post-kept', say(`it has seq ${this.#written.get(text)} too`))
    this.#written.set(text, seq)
    const denied = this.#posts.get(text)
    this.#judge.require(!denied?.denied || denied.deliveries > 1, 'post-kept', say('it was refused'))
    this.#judge.require(room.members.has(memberKey(from)), 'post-kept', say(`${from.id} is not a member`))
    const silent = from.kind === 'agent' && room.chain >= room.most
    this.#judge.require(quiet === silent, 'chain-limited', say(`${room.chain} messages of agents came before`))
    room.chain = from.kind === 'human' ? 0 : room.chain + 1
    room.messages.set(seq, { text, from, seq })
    if (silent) return
    for (const { kind, id: agent } of room.members.values())
      if (kind === 'agent' && !(from.kind === 'agent' && from.id === agent))
        this.#deliveries.set(`${agent} ${id} ${seq}`, 0)
  }

  #queued(log: string, { id, event }: InboxItem): void {
    const agent = log.slice('agent:'.length)
    if (event.type === 'trigger') {
      const known = this.#triggers.has(id.slice('trigger:'.length)) && id.startsWith(`trigger:${agent} `)
      this.#judge.require(
        known && !this.#triggered.has(id),
        'delivered-once',
        () => `${log}: ${id} again, or for no trigger`,
      )
      this.#triggered.add(id)
    }
    if (event.type !== 'space.message') return
    const { space, seq, text } = event
    const heard = `${agent} ${space} ${seq}`
    const say = (what: string) => (): string => `${agent} is told "${text}" of ${space} ${seq}: ${what}`
    this.#judge.require(
      this.#deliveries.get(heard) === 0,
      'delivered-once',
      say('delivered twice, or to the wrong agent'),
    )
    this.#deliveries.set(heard, 1)
    this.#judge.require(this.#rooms.get(space)?.messages.get(seq)?.text === text, 'delivered-once', say('other words'))
    const newest = this.#newest.get(`${agent} ${space}`) ?? 0
    this.#judge.require(seq > newest, 'space-order', say(`after ${newest}`))
    this.#newest.set(`${agent} ${space}`, seq)
  }

  /** Checks the result of an agent's `send_message`. */
  #checkSent(log: string, outcome: unknown): void {
    const { seq = 0, sent } = outcome as { readonly seq?: number; readonly sent?: boolean }
    const from = log.slice('agent:'.length)
    const there = [...this.#rooms.values()].some(({ messages }) => messages.get(seq)?.from.id === from)
    this.#judge.require(
      sent !== true || there,
      'post-kept',
      () => `the result says that its message has seq ${seq} in ${log}`,
    )
  }

  /** Checked when everything is idle: every delivery happened. */
  checkAtRest(): void {
    for (const [heard, times] of this.#deliveries)
      this.#judge.require(times === 1, 'delivered-once', () => `${heard} was never delivered`)
  }

  #room(space: string): Room {
    const known = this.#rooms.get(space)
    if (known) return known
    const room: Room = { members: new Map(), messages: new Map(), chain: 0, most: 0, acknowledged: 0 }
    this.#rooms.set(space, room)
    return room
  }
}
