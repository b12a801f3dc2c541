/**
 * Everything that is stored about one person, as lines of JSON. Conversations and events are read page by page while the
 * client takes them, so memory does not grow with the export. No index lists the person's events in the conversations of
 * others, so the export reads every log of the tenant.
 */
import { authorIdOf, HoldpointError, isSpaceEvent, type LogEvent } from '@holdpoint/core'
import type { ExportLine } from '@holdpoint/protocol'
import type { Runtime } from '@holdpoint/spaces'
import { rowOfSession, type CookieSession } from './auth/cookie-sessions.ts'
import type { GatewayServices } from './gateway-services.ts'

interface Exported {
  readonly services: Pick<
    GatewayServices,
    'store' | 'people' | 'channels' | 'delegations' | 'keys' | 'sessions' | 'closing' | 'now'
  >
  readonly runtime: Runtime
  readonly tenant: string
  readonly person: string
}

const PAGE = 100

export async function* exportPerson(exported: Exported): AsyncGenerator<ExportLine> {
  const { services, runtime, tenant, person } = exported
  const { people, delegations, closing, now } = services
  yield { type: 'export', person, at: now() }
  const record = await people.find(tenant, person)
  if (record) yield { type: 'person', data: record }
  const addresses = await services.channels?.people.find(tenant, person)
  const devices = await services.channels?.people.devices(tenant, person)
  if (addresses || devices?.items.length)
    yield { type: 'channels', data: { ...addresses, ...(devices?.items.length && { devices: devices.items }) } }
  for (const data of await delegations.rowsTo(tenant, person)) yield { type: 'delegation', data }
  for (const data of await delegations.rowsFrom(tenant, person)) yield { type: 'delegation', data }
  for await (const key of pages((after) => services.keys.list(tenant, after, PAGE)))
    if (key.mayActFor === true || key.mayActFor?.includes(person)) yield { type: 'key', data: key }
  for await (const session of pages((after) => services.sessions.list(tenant, person, { after, limit: PAGE })))
    yield { type: 'session', data: exportedSession(session) }
  for await (const data of pages((after) => runtime.files.uploadedBy(person, { after, limit: PAGE })))
    yield { type: 'file', data }
  if (runtime.rules.consulted) yield* rulesOf(runtime, person)

  let [conversations, events] = [0, 0]
  const own = pages((after) =>
    runtime.list({ participant: person, limit: PAGE, ...(after !== undefined && { after }) }),
  )
  for await (const row of own) {
    conversations++
    yield { type: 'conversation', data: { ...row, ...(await runtime.participants(row.id)) } }
    for await (const event of eventsOf(runtime, row.id, closing)) {
      events++
      yield { type: 'event', conversationId: row.id, event }
    }
  }
  const all = pages((after) => services.store.list({ tenant, limit: PAGE, ...(after !== undefined && { after }) }))
  for await (const { id } of all) {
    if (await takesPart(runtime, id, person)) continue
    for await (const event of eventsOf(runtime, id, closing)) {
      if (!isBy(event, person)) continue
      events++
      yield { type: 'event', conversationId: id, event, elsewhere: true }
    }
  }
  yield { type: 'end', conversations, events }
}

/** Without what opens the session or asks the provider. */
function exportedSession(session: CookieSession): object {
  const { name, groups, scopes, tenants } = session.person
  return { ...rowOfSession(session), name, groups, scopes, tenants, confirmedAt: session.confirmedAt }
}

export async function* pages<T>(
  read: (after: string | undefined) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
): AsyncGenerator<T> {
  let after: string | undefined
  do {
    const { items, next } = await read(after)
    yield* items
    after = next
  } while (after !== undefined)
}

export async function* eventsOf(runtime: Runtime, id: string, closing: AbortSignal): AsyncGenerator<LogEvent> {
  for (let after = 0; ;) {
    if (closing.aborted) throw new HoldpointError('closed', 'This gateway is shutting down.')
    const events = await runtime.events(id, after, PAGE)
    yield* events
    const last = events.at(-1)
    if (!last) return
    after = last.seq
  }
}

async function takesPart(runtime: Runtime, id: string, person: string): Promise<boolean> {
  const { owner, participants = [] } = (await runtime.participants(id)) ?? {}
  return owner === person || participants.includes(person)
}

/** The rules that the person wrote or ended. */
async function* rulesOf({ rules }: Runtime, person: string): AsyncGenerator<ExportLine> {
  const all = pages((after) => rules.list({ limit: PAGE, ...(after !== undefined && { after }) }))
  for await (const rule of all)
    if (rule.author.id === person || rule.revoked?.by === person) yield { type: 'rule', data: rule }
}

/** Whether the person did it, said it, or is the member that it is about. */
export function isBy(event: LogEvent, person: string): boolean {
  if ('by' in event && event.by === person) return true
  if ('onBehalfOf' in event && event.onBehalfOf === person) return true
  if (isSpaceEvent(event)) {
    const member = 'member' in event ? event.member : event.type === 'message.posted' ? event.from : undefined
    return member?.kind === 'human' && member.id === person
  }
  if (event.type === 'turn.started') return event.items.some((item) => authorIdOf(item) === person)
  return event.type === 'message.queued' && authorIdOf(event.item) === person
}
