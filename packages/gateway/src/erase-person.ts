/**
 * Erases what is stored about one person, as far as the logs of others allow. A process may die in between, so each step may
 * run again, and the person's own record goes last: a request that is repeated does the rest.
 */
import type { Principal } from '@holdpoint/core'
import type { PersonErased } from '@holdpoint/protocol'
import type { Runtime } from '@holdpoint/spaces'
import type { GatewayServices } from './gateway-services.ts'
import { eventsOf, isBy, pages } from './person-export.ts'

export interface ErasePerson {
  readonly services: Pick<
    GatewayServices,
    'store' | 'people' | 'delegations' | 'keys' | 'sessions' | 'closing' | 'names' | 'channels'
  >
  readonly runtime: Runtime
  readonly tenant: string
  readonly person: string
  /** The admin. */
  readonly by: Principal
  /** Gets the conversations and spaces that the person owns. Without it, these conversations are erased. */
  readonly to?: string
  /** Stays in the tombstones. */
  readonly reason?: string
}

const PAGE = 100
/** The most logs that the result names. */
const MOST_NAMED = 1000

export async function erasePerson(asked: ErasePerson): Promise<PersonErased> {
  const { services, runtime, tenant, person, by, to } = asked
  const { delegations } = services
  await services.sessions.endAll(tenant, person)
  await delegations.removeFrom(tenant, person)
  for (const { from } of await delegations.rowsTo(tenant, person)) await delegations.remove(tenant, from, person)
  await runtime.handOver(person, { by, ...(to !== undefined && { to }) })
  const conversations = await leaveConversations(asked)
  await leaveSpaces(asked)
  await services.channels?.people.remove(tenant, person)
  await services.people.remove(tenant, person)
  services.names.forget(tenant, person)
  return { ...conversations, ...(await whatStays(asked)) }
}

/** The ids are read before the first change, which would change the list. */
async function leaveConversations({ runtime, person, by, to, reason }: ErasePerson): Promise<Counts> {
  const ids: string[] = []
  const own = pages((after) =>
    runtime.list({ participant: person, limit: PAGE, ...(after !== undefined && { after }) }),
  )
  for await (const { id } of own) ids.push(id)
  const counts = { erased: 0, handedOver: 0, left: 0 }
  for (const id of ids) {
    const owns = (await runtime.participants(id))?.owner === person
    if (owns && to === undefined) {
      const done = await runtime.erase(id, { by, cancel: true, ...(reason !== undefined && { reason }) })
      if (done.ok) counts.erased++
      continue
    }
    const change = { by, remove: [person], ...(owns && to !== undefined && { owner: to }) }
    if ((await runtime.changeParticipants(id, change)).ok) counts[owns ? 'handedOver' : 'left']++
  }
  return counts
}

type Counts = Pick<PersonErased, 'erased' | 'handedOver' | 'left'>

/** A space keeps an owner: the only one stays a member, unless `to` becomes an owner. */
async function leaveSpaces({ runtime: { spaces }, person, to }: ErasePerson): Promise<void> {
  const member = { kind: 'human', id: person } as const
  const ids: string[] = []
  for await (const { id } of pages((after) =>
    spaces.list({ member, limit: PAGE, ...(after !== undefined && { after }) }),
  ))
    ids.push(id)
  for (const id of ids) {
    const owns = (await spaces.roleOf(id, member)) === 'owner'
    if (owns && to !== undefined) await spaces.join(id, { kind: 'human', id: to }, { role: 'owner' })
    await spaces.leave(id, member)
  }
}

/** Reads every log of the tenant, as an export does. */
async function whatStays({ services, runtime, tenant, person }: ErasePerson): Promise<Pick<PersonErased, 'stays'>> {
  const { store, keys, closing } = services
  const logs: { id: string; events: number }[] = []
  const all = pages((after) => store.list({ tenant, limit: PAGE, ...(after !== undefined && { after }) }))
  for await (const { id } of all) {
    let events = 0
    for await (const event of eventsOf(runtime, id, closing)) if (isBy(event, person)) events++
    if (events > 0) logs.push({ id, events })
  }
  const named: string[] = []
  for await (const key of pages((after) => keys.list(tenant, after, PAGE)))
    if (key.mayActFor !== true && key.mayActFor?.includes(person)) named.push(key.id)
  return {
    stays: {
      logs: logs.slice(0, MOST_NAMED),
      events: logs.reduce((sum, { events }) => sum + events, 0),
      keys: named,
    },
  }
}
