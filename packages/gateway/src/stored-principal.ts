/** A person as a principal, with the groups and delegations that are stored now. For channels, which know no credential. */
import type { Principal } from '@holdpoint/core'
import { Delegations } from './delegations.ts'
import type { DocumentStore } from './document-store.ts'
import { PeopleDirectory } from './people-directory.ts'

export function storedPrincipal(
  documents: DocumentStore,
  now: () => number = Date.now,
): (tenant: string, person: string) => Promise<Principal> {
  const people = new PeopleDirectory(documents)
  const delegations = new Delegations(documents, now)
  return async (tenant, person) => {
    const principal = await people.principal(tenant, person)
    const received = await delegations.to(tenant, person, people)
    return received.length > 0 ? { ...principal, delegations: received } : principal
  }
}
