/** Opens what a disk had after a power loss with the real store, and compares it with what was acknowledged before. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fold, messageOf, type Conversation, type LogEvent, type Store } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { holdpoint } from 'holdpoint'
import { desk } from '../crash/desk.ts'
import { DATABASE, EFFECTS, type Told } from './told.ts'

export interface ImageJudgement {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[]
  /** The store does not open, does not read, contradicts itself, or takes no message. */
  readonly broken: readonly string[]
}

export async function judgeImage(folder: string, told: readonly Told[]): Promise<ImageJudgement> {
  const broken: string[] = []
  const lost: string[] = []
  const file = join(folder, DATABASE)
  try {
    const store = await sqliteStore(file)
    try {
      const logs = await logsOf(store, told, broken)
      lost.push(...(await lostOf(store, logs, told)))
      broken.push(...(await contradictions(store, logs)), ...(await takesMessages(store, logs, folder)))
    } finally {
      await store.close()
    }
    broken.push(...integrity(file))
  } catch (error) {
    broken.push(messageOf(error))
  }
  return { lost, broken }
}

interface Log {
  readonly events: readonly LogEvent[]
  readonly state: Conversation
}

async function logsOf(store: Store, told: readonly Told[], broken: string[]): Promise<Map<string, Log>> {
  const logs = new Map<string, Log>()
  const { items } = await store.walk({ limit: 1000 })
  const ids = new Set([...items, ...told].flatMap((each) => ('id' in each ? [each.id] : [])))
  for (const id of ids) {
    const events = await store.read({ tenant: '', id }, 0)
    if (events.length === 0) continue
    try {
      logs.set(id, { events, state: fold(events) })
    } catch (error) {
      broken.push(`${id}: ${messageOf(error)}`)
    }
  }
  return logs
}

async function lostOf(store: Store, logs: ReadonlyMap<string, Log>, told: readonly Told[]): Promise<string[]> {
  const lost: string[] = []
  const erasing = new Set(told.flatMap((each) => (each.told === 'erasing' ? [each.id] : [])))
  const counter = (await store.get('', 'power', 'counter'))?.data ?? 0
  const started = new Set([...logs.values()].flatMap(({ events }) => events.flatMap(startOf)))
  for (const each of told) {
    const log = 'id' in each ? logs.get(each.id) : undefined
    if ('id' in each && erasing.has(each.id) && log?.state.erased) continue
    switch (each.told) {
      case 'erasing':
        break
      case 'erased':
        lost.push(`the erasure of ${each.id}`)
        break
      case 'created':
        if (!log) lost.push(`conversation ${each.id}`)
        break
      case 'cancelled':
        if (!log?.events.some((event) => event.type === 'turn.ended' && event.reason === 'cancelled'))
          lost.push(`the end of ${each.id}`)
        break
      case 'sent':
        if (!log?.events.some((event) => hasText(event, each.text))) lost.push(`message ${each.text.slice(0, 50)}`)
        break
      case 'answered':
        if (!log?.events.some((event) => isAnswer(event, each))) lost.push(`answer to ${each.callId} by ${each.by}`)
        break
      case 'counted':
        if (!(Number(counter) >= each.data)) lost.push(`count ${each.data}`)
        break
      case 'effect':
        if (!started.has(`${each.callId} ${each.attempt}`)) lost.push(`the start of ${each.tool} ${each.callId}`)
    }
  }
  return lost
}

function startOf(event: LogEvent): string[] {
  return event.type === 'call.started' ? [`${event.callId} ${event.attempt}`] : []
}

function hasText(event: LogEvent, text: string): boolean {
  const items = event.type === 'turn.started' ? event.items : event.type === 'message.queued' ? [event.item] : []
  return items.some(
    (item) => item.kind === 'message' && item.message.parts.some((part) => 'text' in part && part.text === text),
  )
}

function isAnswer(event: LogEvent, { callId, by }: Extract<Told, { told: 'answered' }>): boolean {
  if (event.type === 'call.endorsed') return event.callId === callId && event.by === by
  if (event.type !== 'call.approved' && event.type !== 'call.settled' && event.type !== 'answer.arrived') return false
  return event.callId === callId && event.by === by && event.resolution !== undefined
}

/** The rows beside a log must be those of its events, and no call has two outcomes. */
async function contradictions(store: Store, logs: ReadonlyMap<string, Log>): Promise<string[]> {
  const found: string[] = []
  const { items } = await store.pending({ tenant: '', limit: 1000 })
  for (const [id, { events, state }] of logs) {
    const to = { tenant: '', id }
    const loaded = await store.load(to)
    const [head] = await store.heads([to])
    if (loaded?.seq !== state.seq || head !== state.seq)
      found.push(`${id}: the log ends at ${state.seq}, its rows at ${loaded?.seq} and ${head}`)
    const rows = items.filter((row) => row.conversationId === id).map(({ callId }) => callId)
    if (rows.toSorted().join() !== openHolds(state).toSorted().join())
      found.push(`${id}: the log holds ${openHolds(state).join(', ')}, the rows hold ${rows.join(', ')}`)
    const settled = events.flatMap((event) => (event.type === 'call.settled' ? [event.callId] : []))
    if (new Set(settled).size < settled.length) found.push(`${id}: a call has two outcomes`)
  }
  return found
}

function openHolds({ turn, waiting }: Conversation): string[] {
  const inRound = turn.phase === 'calls' ? turn.calls.filter(({ at }) => at === 'held') : []
  return [...new Set([...inRound.map(({ callId }) => callId), ...waiting.keys()])]
}

/** An old conversation and a new one. */
async function takesMessages(store: Store, logs: ReadonlyMap<string, Log>, folder: string): Promise<string[]> {
  const problems: string[] = []
  const runtime = await holdpoint({ store, agents: [desk(join(folder, EFFECTS))] })
  try {
    const old = [...logs].find(([, { state }]) => !state.erased)?.[0]
    const text = 'the power is back'
    if (old !== undefined) {
      const taken = await runtime.submit(old, text)
      const events = await store.read({ tenant: '', id: old }, logs.get(old)!.state.seq)
      if (!taken.ok) problems.push(`${old} takes no message: ${taken.message}`)
      else if (!events.some((event) => hasText(event, text))) problems.push(`${old} does not have the new message`)
    }
    const { status } = await runtime.send('after', text)
    if (status !== 'done') problems.push(`a new conversation ends as ${status}`)
  } finally {
    await runtime.close()
  }
  return problems
}

function integrity(file: string): string[] {
  const db = new DatabaseSync(file)
  try {
    const rows = db.prepare('pragma integrity_check').all()
    return rows.map((row) => String(row['integrity_check'])).filter((line) => line !== 'ok')
  } finally {
    db.close()
  }
}
