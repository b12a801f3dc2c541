/** Replaces a damaged log (core's `LogRepair`) in one transaction, through the same function as every append. */
import { HoldpointError, type Address, type LogRepair, type RepairGuard, type WholeBatch } from '@holdpoint/core'
import { answersIn, callOf, opOf, type CallResult } from './append-call.ts'
import type { Endpoint } from './endpoint.ts'
import { fromEventText, toEventText } from './event-text.ts'
import { unavailable } from './pg-error.ts'
import type { Settings } from './settings.ts'
import type { StoreClient } from './store-client.ts'
import { toStored } from './stored-name.ts'
import { settingsFor, UnconfirmedCommit } from './transaction.ts'

interface Row {
  readonly k: number
  readonly owned: boolean
}

const TABLES = ['batches', 'holds', 'keys', 'notes', 'agenda', 'conversation_labels', 'hold_labels']
/** What is made again from the events. Keys and notes are not. */
const DERIVED = ['batches', 'holds', 'agenda', 'conversation_labels', 'hold_labels']

export function openLogRepair(settings: Settings, endpoint: Endpoint): LogRepair {
  const { schema } = settings
  return {
    dump: (of) => inOne(settings, endpoint, (client) => dump(client, schema, of)),
    replace: (of, batches, guard) =>
      inOne(settings, endpoint, (client) => replace(client, settings, of, batches, guard)),
  }
}

/** Anything but `changed` and `owned` is committed: those have changed nothing. */
async function inOne<T>(settings: Settings, { open }: Endpoint, work: (client: StoreClient) => Promise<T>): Promise<T> {
  const client = await open().catch((error: unknown) => Promise.reject(unavailable('The log cannot be reached', error)))
  try {
    await client.query('begin isolation level read committed')
    await client.query(`select ${settingsFor('read', settings)}`)
    const done = await work(client)
    const { unconfirmed } = client
    await client.query('commit')
    if (client.unconfirmed !== unconfirmed) throw new UnconfirmedCommit()
    return done
  } catch (error) {
    if (HoldpointError.is(error)) throw error
    throw unavailable('The log was not repaired, or the answer was lost', error)
  } finally {
    // An open transaction ends with its connection.
    await client.end().catch(() => {})
  }
}

async function find(client: StoreClient, schema: string, { tenant, id }: Address): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(
    `select k, status = 'running' and exists (
        select 1 from ${schema}.nodes n where n.node = c.owner and n.until > ${schema}.now_ms(0)) as owned
      from ${schema}.conversations c where tenant = $1 and id = $2 for update`,
    [toStored(tenant), toStored(id)],
  )
  return rows[0]
}

async function dump(client: StoreClient, schema: string, of: Address): Promise<readonly string[]> {
  const row = await find(client, schema, of)
  if (!row) return []
  const lines: string[] = []
  for (const table of ['conversations', ...TABLES]) {
    const { rows } = await client.query<{ readonly line: string }>(
      `select row_to_json(t)::text as line from ${schema}.${table} t
        where tenant = $1 and ${table === 'conversations' ? 'k' : 'conv'} = $2 order by 1`,
      [toStored(of.tenant), row.k],
    )
    for (const { line } of rows) {
      const row = JSON.parse(line) as Readonly<Record<string, unknown>>
      const { events } = row
      lines.push(
        JSON.stringify({ table, row: typeof events === 'string' ? { ...row, events: fromEventText(events) } : row }),
      )
    }
  }
  return lines
}

async function replace(
  client: StoreClient,
  settings: Settings,
  of: Address,
  batches: readonly WholeBatch[],
  { dumped, fence }: RepairGuard,
): Promise<'replaced' | 'changed' | 'owned'> {
  const { schema } = settings
  const row = await find(client, schema, of)
  if (!row || (await dump(client, schema, of)).join('\n') !== dumped.join('\n')) return 'changed'
  if (row.owned && !fence) return 'owned'
  const place = [toStored(of.tenant), row.k]
  const end = batches.at(-1)?.batch.seq ?? 0
  for (const table of ['keys', 'notes'])
    await client.query(`delete from ${schema}.${table} where tenant = $1 and conv = $2 and seq > $3`, [...place, end])
  for (const table of DERIVED)
    await client.query(`delete from ${schema}.${table} where tenant = $1 and conv = $2`, place)
  if (batches.length === 0) {
    await client.query(`delete from ${schema}.conversations where tenant = $1 and k = $2`, place)
    return 'replaced'
  }
  await client.query(
    `update ${schema}.conversations set head_seq = 0, head_hash = '', epoch = epoch + 1, owner = null, status = 'idle',
      wake_at = null, base = null, base_seq = null, bytes = 0, labeled = false, hidden = false where tenant = $1 and k = $2`,
    place,
  )
  for (const { append, batch } of batches) {
    // As it was written. A batch from before the chain has no hash.
    const op = { ...opOf(append), events: toEventText(batch.events), hash: batch.hash }
    const { text, values } = callOf(settings, [op])
    const [answer] = (await client.query<CallResult>(text, values)).rows.flatMap(answersIn)
    if (answer?.result !== 'ok')
      throw new HoldpointError('store-unavailable', `"${of.id}" was not repaired: ${JSON.stringify(answer)}.`)
  }
  return 'replaced'
}
