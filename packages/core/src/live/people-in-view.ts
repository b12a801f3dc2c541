/** The ids of the people whom a screen with a view shows: authors, requesters, approvers, assignees. For their display names. */
import { requestersOf, type Inbound } from '../log/message.ts'
import type { Actor } from '../principal.ts'
import type { View, ViewCall, ViewHold } from './view-shape.ts'

/** Sorted, each once. Keys and groups are no people. */
export function peopleInView({ turns, queue, waiting, erased }: View): readonly string[] {
  const all = [
    ...[...turns.flatMap(({ items }) => items), ...queue].map(authorOf),
    ...turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.flatMap(peopleOfCall))),
    ...waiting.flatMap(peopleOfHold),
    erased?.by,
  ]
  const ids = all.filter((id) => id !== undefined).filter((id) => !/^(?:key|group):/.test(id))
  return [...new Set(ids)].toSorted()
}

function authorOf(item: Inbound): string | undefined {
  return item.kind === 'message' ? item.message.by : undefined
}

function peopleOfCall(call: ViewCall): readonly (string | undefined)[] {
  const holds = call.state === 'settled' ? [call.hold, call.missed] : [call.hold]
  const decided = call.resolved.flatMap(({ approvals = [], ...last }) => [last, ...approvals].flatMap(bothOf))
  return [...decided, ...holds.flatMap((hold) => (hold ? peopleOfHold(hold) : []))]
}

function peopleOfHold(hold: ViewHold): readonly (string | undefined)[] {
  const { to = [], escalation, askedBy = [], endorsements = [], assignee, comments = [] } = hold
  const requesters = requestersOf(askedBy)
  const asked = requesters === 'many' ? [] : requesters
  return [...to, ...(escalation?.to ?? []), ...asked, ...[...endorsements, ...comments].flatMap(bothOf), assignee]
}

function bothOf({ by, onBehalfOf }: Actor): readonly (string | undefined)[] {
  return [by, onBehalfOf]
}
