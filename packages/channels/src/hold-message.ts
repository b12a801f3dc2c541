/** Makes the message about a hold for one person, from the newest state of its log. */
import { isObject } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import type { HoldKind, LogEvent, Principal, Store } from 'holdpoint'
import type { DigestMessage, HoldMessage } from './channel.ts'
import { holdEnd, type HoldEnd } from './hold-end.ts'
import { shownInput, visible } from './shown-input.ts'

export interface HoldOf {
  readonly tenant: string
  readonly conversationId: string
  readonly callId: string
  /** Which of the call's holds, from 1. */
  readonly hold: number
}

export type HoldState =
  | { readonly open: PendingHold }
  /** `made`: the event that made the hold; undefined after an erasure. */
  | { readonly end: HoldEnd; readonly made: MadeHold | undefined }

type MadeHold = Extract<LogEvent, { type: 'call.held' }>['hold']

/** The hold as this principal sees it. Without one, `may` is missing. */
export async function holdState(
  runtime: Runtime,
  store: Pick<Store, 'readCall'>,
  { tenant, conversationId, callId, hold }: HoldOf,
  asked: { readonly by?: Principal; readonly kinds?: readonly HoldKind[] } = {},
): Promise<HoldState> {
  const { items } = await runtime.tenant(tenant).pending({ conversationId, callId, limit: 1, ...asked })
  const [open] = items
  if (open?.nth === hold) return { open }
  const events = await store.readCall({ tenant, id: conversationId }, callId)
  const made = events.filter((event) => event.type === 'call.held')[hold - 1]
  // Open in the log and not in the list: it is about to appear there, and the task is done again then.
  return { end: holdEnd(events, hold) ?? { how: 'cancelled' }, made: made?.hold }
}

/** What every version of a copy says. Kept without content, so that nothing is left of an erased conversation. */
export interface CopyFacts {
  readonly agent: string
  readonly tool: string
  readonly kind: HoldKind
}

export function openMessage(
  of: HoldOf & { readonly person: string },
  open: PendingHold,
  more: Pick<HoldMessage, 'reminded' | 'url' | 'link'>,
  /** How many characters of the input are shown. */
  most?: number,
): HoldMessage {
  const { agent, name: tool, kind, reason, askedBy, input, expiresAt, may, accepts, missing } = open
  const { approve = false, resolve = false, why } = may ?? {}
  return {
    ...of,
    agent,
    tool: visible(tool),
    kind,
    ...(reason !== undefined && { reason: visible(reason) }),
    askedBy: namesOf(askedBy),
    input: shownInput(input, most),
    expiresAt,
    may: {
      approve: approve && accepts.includes('approve'),
      reject: resolve && accepts.includes('reject'),
      answer: resolve && accepts.includes('answer'),
    },
    ...(why !== undefined && { why }),
    missing,
    ...more,
  }
}

export function closedMessage(
  of: HoldOf & { readonly person: string },
  facts: CopyFacts,
  { end, made }: Extract<HoldState, { readonly end: HoldEnd }>,
  url: string,
  most?: number,
): HoldMessage {
  return {
    ...of,
    ...facts,
    tool: visible(facts.tool),
    ...(made?.reason !== undefined && { reason: visible(made.reason) }),
    askedBy: namesOf(made?.askedBy),
    input: made ? shownInput(made.input, most) : { text: '', cut: 0 },
    expiresAt: made?.expiresAt ?? 0,
    may: { approve: false, reject: false, answer: false },
    missing: 0,
    reminded: false,
    end: end.reason === undefined ? end : { ...end, reason: visible(end.reason) },
    url,
  }
}

export async function wasReminded(
  store: Pick<Store, 'readCall'>,
  { tenant, conversationId, callId }: HoldOf,
): Promise<boolean> {
  const events = await store.readCall({ tenant, id: conversationId }, callId)
  return events.findLast(({ type }) => type === 'hold.reminded' || type === 'call.held')?.type === 'hold.reminded'
}

function namesOf(askedBy: PendingHold['askedBy'] = []): readonly string[] {
  return askedBy.flatMap(({ by }) => (by === undefined ? [] : [visible(by)]))
}

/** The title of a message, in one line. */
export function titleOf({ tool, kind, agent, end }: HoldMessage): string {
  if (end) return `${tool}: ${endWords(end)}`
  return kind === 'approval' ? `${agent} asks to run ${tool}` : `${agent} asks: ${tool}`
}

/** The title of a digest, in one line. */
export function digestTitle({ holds, more }: DigestMessage): string {
  const open = holds.filter(({ end }) => !end).length + more
  if (open === 0) return 'Nothing waits for you any more'
  return open === 1 ? '1 hold waits for you' : `${open} holds wait for you`
}

/** What happened to a hold, in one sentence. */
export function endWords({ how, by, onBehalfOf, reason, edited }: HoldEnd): string {
  const who = by === undefined ? '' : ` by ${by}${onBehalfOf === undefined ? '' : ` for ${onBehalfOf}`}`
  const why = reason === undefined ? '' : `: ${reason}`
  switch (how) {
    case 'approved':
      return `approved${who}${edited ? ', with other arguments' : ''}`
    case 'rejected':
      return `rejected${who}${why}`
    case 'answered':
      return `answered${who}`
    case 'failed':
      return `answered with an error${who}`
    case 'expired':
      return 'expired without an answer'
    case 'cancelled':
      return `cancelled${who}`
    case 'erased':
      return 'erased'
  }
}

export function isHoldOf(value: unknown): value is HoldOf {
  return isObject(value) && typeof value['callId'] === 'string' && Number.isSafeInteger(value['hold'])
}
