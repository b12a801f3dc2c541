/** What is known about a hold besides its arguments, with the title of each fact. */
import type { HoldRow } from '@holdpoint/client'

export function holdFacts(hold: HoldRow): readonly (readonly [title: string, text: string])[] {
  const { agent, kind, cause, conversationId, callId, reason, url, askedBy, expiresAt, missing, may } = hold
  const askers = (askedBy ?? []).flatMap(({ by }) => (by === undefined ? [] : [by]))
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['conversation', conversationId],
    ['call', callId],
    ['agent', agent],
    ['kind', kind],
    ['cause', cause === 'tool' ? undefined : cause],
    ['reason', reason],
    ['page', url],
    ['asked by', askers.length > 0 ? askers.join(', ') : undefined],
    ['until', new Date(expiresAt).toISOString()],
    ['approvals missing', kind === 'approval' ? String(missing) : undefined],
    ['you', may?.why],
  ]
  return facts.flatMap(([title, text]) => (text === undefined ? [] : [[title, text] as const]))
}
