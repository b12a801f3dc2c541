/** The port of a channel: e-mail, Slack and others are packages that implement it. */
import type { HoldKind, Json, JsonObject, Resolution, ResolveResult } from 'holdpoint'
import type { HoldEnd } from './hold-end.ts'

export interface Channel {
  /** Unique in a deployment: `email`. */
  readonly name: string
  /**
   * Shows the message to one person, or replaces an earlier version of it. Returns what the channel needs to find the message
   * again. It is called again with the same `key` when its result was lost, so a person may see a message twice.
   * Throw `ChannelRefused` when no retry can help.
   */
  show(showing: Showing): Promise<Json>
  /**
   * Shows several holds in one message, or replaces an earlier version of it. A channel without it tells a person of each hold
   * at once, also one who wants a digest.
   */
  showDigest?(showing: ShowingDigest): Promise<Json>
  /** Devices that a person registers without an admin. The person's id is the address, and no decision comes from it. */
  readonly devices?: ChannelDevices
  /** Requests from the service, at `/channels/{name}`: it must authenticate them itself. */
  receive?(request: Request, inbox: ChannelInbox): Promise<Response>
}

export interface ChannelDevices {
  /** What a browser needs to register. */
  readonly publicKey: string
  /** Throws `config-invalid` for what is no device. */
  add(tenant: string, person: string, device: unknown): Promise<ChannelDevice>
  list(tenant: string, person: string): Promise<readonly ChannelDevice[]>
  /** False when there is none. */
  remove(tenant: string, person: string, id: string): Promise<boolean>
}

export interface ChannelDevice {
  readonly id: string
  readonly createdAt: number
}

export interface Showing extends ShowingAny {
  readonly message: HoldMessage
}

export interface ShowingDigest extends ShowingAny {
  readonly digest: DigestMessage
}

interface ShowingAny {
  /** Where the person is on this channel: an e-mail address, a user id. */
  readonly address: string
  /** What an earlier `show` of this copy returned. */
  readonly ref: Json | undefined
  /** The same for each attempt to show this version of this copy. */
  readonly key: string
  readonly signal: AbortSignal
}

/** The holds that a person is told of together. Each is as it is now, so some may be over. */
export interface DigestMessage {
  readonly tenant: string
  readonly person: string
  readonly holds: readonly HoldMessage[]
  /** How many holds are left out. */
  readonly more: number
  /** The person's holds in the console. */
  readonly url: string
}

/** A hold as a person reads it. `input` has no invisible characters and is cut only with a count of what is missing. */
export interface HoldMessage {
  readonly tenant: string
  readonly person: string
  readonly conversationId: string
  readonly callId: string
  readonly hold: number
  readonly agent: string
  readonly tool: string
  readonly kind: HoldKind
  readonly reason?: string
  readonly askedBy: readonly string[]
  /** The arguments as they will run. */
  readonly input: ShownText
  readonly expiresAt: number
  /** What the person may do now. */
  readonly may: { readonly approve: boolean; readonly reject: boolean; readonly answer: boolean }
  /** Why the person may not decide now: `You approved this already.` */
  readonly why?: string
  /** How many more people must approve. */
  readonly missing: number
  readonly reminded: boolean
  /** Set when the hold is over. */
  readonly end?: HoldEnd
  /** The hold in the console, whole. */
  readonly url: string
  /** A page where this person decides without signing in, and the code that the page asks for. */
  readonly link?: { readonly url: string; readonly code: string }
}

export interface ShownText {
  readonly text: string
  /** How many characters were left out at the end. */
  readonly cut: number
}

/** A decision from a channel, about the hold that its message showed. */
export interface ChannelDecision {
  readonly tenant: string
  readonly conversationId: string
  readonly callId: string
  readonly hold: number
  readonly resolution: Resolution
}

export interface ChannelInbox {
  /** The hold whole, for the person with this address, while it is open and the person may decide it. */
  hold(address: string, of: Omit<ChannelDecision, 'resolution'>): Promise<InboxHold | undefined>
  /**
   * Decides for the person with this address. An address that belongs to no person, or to several, decides nothing
   * (`not-allowed`).
   */
  decide(address: string, decision: ChannelDecision): Promise<ResolveResult>
}

/** What a form is made of: to edit the input of a call, or to answer a question. */
export interface InboxHold {
  readonly message: HoldMessage
  /** The arguments as they will run. */
  readonly input: Json
  /** JSON Schema of the arguments; undefined when the tool's definition is not known. */
  readonly inputSchema?: JsonObject
  /** JSON Schema of the answer. */
  readonly answerSchema?: JsonObject
}

/** No retry can help: the address does not exist, or the service refused the request. */
export class ChannelRefused extends Error {
  override readonly name: string = 'ChannelRefused'
}
