/**
 * An assignee may have left the group that decides the hold. Others would wait for that person, so such a hold is shown
 * without an assignee. The groups of a person are known from the directory, and from their sessions in browsers. For a person
 * who is in neither, the assignment stays: no request shows what another person's token says now.
 */
import type { Principal } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import type { RouteRequest } from '../http/route.ts'

/** `formerAssignee`: the person to whom it was assigned, who may no longer decide it. */
export type ShownHold = PendingHold & { readonly formerAssignee?: string }

type Asked = Pick<RouteRequest, 'caller' | 'services'>

export async function withoutFormerAssignees(
  asked: Asked,
  holds: readonly PendingHold[],
): Promise<readonly ShownHold[]> {
  const assignees = new Map<string, Promise<readonly Candidate[] | undefined>>()
  const candidatesOf = (id: string): Promise<readonly Candidate[] | undefined> => {
    const known = assignees.get(id) ?? candidates(asked, id)
    assignees.set(id, known)
    return known
  }
  return Promise.all(
    holds.map(async (hold): Promise<ShownHold> => {
      const { assignee, to, ...free } = hold
      if (assignee === undefined || to === undefined || isNamed(to, { id: assignee })) return hold
      const people = await candidatesOf(assignee)
      if (!people || people.some((each) => isNamed(to, each))) return hold
      return { ...free, to, formerAssignee: assignee }
    }),
  )
}

const MOST_SESSIONS = 100

type Candidate = Pick<Principal, 'id' | 'groups'>

/** The person, as they may decide here, and those who delegated to them. Undefined when their groups are not known. */
async function candidates(
  { caller: { tenant }, services }: Asked,
  id: string,
): Promise<readonly Candidate[] | undefined> {
  const { people, sessions, delegations, now } = services
  const listed = (await people.find(tenant, id))?.groups
  const { items } = await sessions.list(tenant, id, { limit: MOST_SESSIONS })
  const known = [...(listed ? [listed] : []), ...items.map(({ person }) => person.groups ?? [])]
  if (known.length === 0) return undefined
  const received = await delegations.to(tenant, id, people)
  return [
    ...known.map((groups) => ({ id, groups })),
    ...received.flatMap(({ from, until }) => (now() < until ? [from] : [])),
  ]
}

function isNamed(to: readonly string[], { id, groups = [] }: Candidate): boolean {
  return to.some((name) => name === id || groups.some((group) => name === `group:${group}`))
}
