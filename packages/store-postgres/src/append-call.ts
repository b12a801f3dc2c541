/** One call of the stored function: encodes appends as arrays, one per column, and decodes its answers. */
import { hash } from 'node:crypto'
import {
  appendText,
  encodeBatch,
  logged,
  type Address,
  type Append,
  type Appended,
  type HoldRow,
  type LogEvent,
} from '@holdpoint/core'
import type { Query } from './connections.ts'
import { readBatch, toEventText } from './event-text.ts'
import { toStored, toStoredLabels } from './stored-name.ts'
import { plainArray, textArray } from './array-text.ts'
import type { Settings } from './settings.ts'
import { settingsFor } from './transaction.ts'

/** An append that was encoded without errors. */
export interface Op {
  readonly write: Append
  readonly tenant: string
  readonly id: string
  readonly events: string
  readonly hash: string
  readonly base: string | null
  readonly holds: readonly HoldRow[]
}

/** The result of an append. `nth` is its position in the call, from 1. */
export type AppendResult = { readonly nth: number } & (
  | {
      readonly result: 'ok'
      readonly k: number
      readonly epoch: number
      readonly owned: boolean
      readonly deadline: boolean
      readonly unowned: boolean
    }
  | Refusal
)

interface Refusal {
  readonly nth: number
  readonly result: 'again' | 'conflict' | 'fenced' | 'repeated'
  readonly seq: number
  readonly epoch: number
  readonly owned: boolean
  readonly at: number
  readonly events: string
  readonly hash: string
}

/** The row that the function returns. Lists are text, because a row per append takes longer to produce and to parse. */
export interface CallResult {
  readonly made: string | null
  readonly convs: string | null
  readonly made_epochs: string | null
  readonly made_flags: string | null
  readonly refusals: readonly Refusal[] | null
}

/** All but the first one. */
const PARAMETERS = Array.from({ length: 29 }, (_, index) => `$${index + 2}`).join(', ')

/** The limit of an index entry, with room for the other columns. */
const MAX_NAME_BYTES = 2000

export function opOf(write: Append): Op {
  const { to, rows } = write
  const events = encodeBatch(write.events)
  // If a write contains a call twice, the last row wins. The statement may contain it only once.
  const holds = rows.holds.length > 1 ? [...new Map(rows.holds.map((row) => [row.callId, row])).values()] : rows.holds
  return {
    write,
    tenant: toStored(to.tenant),
    id: toStored(to.id),
    events: toEventText(events),
    hash: hash('sha256', appendText(write, events), 'hex'),
    base: rows.base === undefined ? null : JSON.stringify(rows.base),
    holds,
  }
}

/** Checked here, because the server's error would fail the whole call. */
export function tooLong({ tenant, id, holds, write }: Op): string | undefined {
  const { key = '', node = '', rows } = write
  let refused =
    longName('tenant and id', tenant + id) ??
    longName('key', key) ??
    longName('agent', rows.agent) ??
    longName('node', node)
  for (const label of rows.labels ?? []) refused ??= longName('tenant and label', tenant + label)
  for (const { callId, tool, labels = [] } of holds) {
    refused ??= longName('callId and tool', callId + tool)
    for (const label of labels) refused ??= longName('tenant, callId and label', tenant + callId + label)
  }
  return refused
}

function longName(what: string, name: string): string | undefined {
  if (name.length * 3 <= MAX_NAME_BYTES) return undefined
  const bytes = Buffer.byteLength(name)
  return bytes > MAX_NAME_BYTES ? `${what}: ${bytes} bytes, and the limit is ${MAX_NAME_BYTES}.` : undefined
}

/**
 * A mark is only compared with the mark of another write at the same seq. 53 bits of a long one are enough, and keep the
 * row short.
 */
function storedMark(mark: string): string {
  if (mark.length <= 12) return toStored(mark)
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < mark.length; index++) {
    const unit = mark.charCodeAt(index)
    high = Math.imul(high ^ unit, 2_654_435_761)
    low = Math.imul(low ^ unit, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return (low & 0x1fffff).toString(36) + (high >>> 0).toString(36).padStart(7, '0')
}

/** The order in which every process locks conversations, so that no deadlock is possible. */
export function byConversation(a: Op, b: Op): number {
  return compare(a.tenant, b.tenant) || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

export function callOf(settings: Settings, ops: readonly Op[]): Query {
  const { schema, clockOffset } = settings
  const texts = (of: (op: Op) => string | null | undefined): string => textArray(ops.map(of))
  const numbers = (of: (op: Op) => number | null | undefined): string => plainArray(ops.map(of))
  const holds = ops.flatMap(({ holds: rows }, index) => rows.map((row) => ({ row, op: index + 1 })))
  const nths = (of: (op: Op) => boolean | undefined): string =>
    plainArray(ops.flatMap((op, index) => (of(op) ? [index + 1] : [])))
  const holdTexts = (of: (row: HoldRow) => string): string => textArray(holds.map(({ row }) => of(row)))
  const holdPlain = (of: (row: HoldRow) => number | boolean): string => plainArray(holds.map(({ row }) => of(row)))
  return {
    name: 'append',
    // The function is called for the row with the settings, so they hold when it starts.
    text: `with s as materialized (select $1::float8 as shift, ${settingsFor('append', settings)})
      select a.* from s cross join lateral ${schema}.append_chained(s.shift, ${PARAMETERS}) a`,
    values: [
      clockOffset(),
      texts(({ tenant }) => tenant),
      texts(({ id }) => id),
      numbers(({ write }) => write.expectedSeq),
      numbers(({ write }) => write.expectedSeq + write.events.length),
      texts(({ write }) => storedMark(write.mark)),
      texts(({ events }) => events),
      numbers(({ write }) => write.at),
      texts(({ write }) => toStored(write.rows.agent)),
      texts(({ write }) => write.rows.status),
      numbers(({ write }) => write.rows.wakeAt),
      texts(({ base }) => base),
      numbers(({ write }) => write.epoch),
      texts(({ write }) => write.node && toStored(write.node)),
      texts(({ write }) => write.key && toStored(write.key)),
      plainArray(holds.map(({ op }) => op)),
      holdTexts(({ callId }) => toStored(callId)),
      holdTexts(({ tool }) => toStored(tool)),
      holdTexts(({ kind }) => kind),
      holdPlain(({ open }) => open),
      holdPlain(({ heldAt }) => heldAt),
      holdPlain(({ expiresAt }) => expiresAt),
      holdTexts(({ seqs }) => seqs.join(',')),
      nths(({ write }) => write.rows.hidden),
      nths(({ write }) => write.erase),
      texts(({ write }) => write.rows.labels && toStoredLabels(write.rows.labels)),
      holdTexts(({ labels = [] }) => toStoredLabels(labels)),
      nths(({ holds: rows }) => rows.some(({ labels = [] }) => labels.length > 0)),
      texts(({ write }) => `\\x${write.follows}`),
      texts((op) => `\\x${op.hash}`),
    ],
  }
}

export function answersIn({ made, convs, made_epochs, made_flags, refusals }: CallResult): readonly AppendResult[] {
  const nths = made === null ? undefined : numbersIn(made)
  const epochs = numbersIn(made_epochs)
  const flags = numbersIn(made_flags)
  const answers = numbersIn(convs).map((k, index): AppendResult => {
    const flag = flags[index] ?? 0
    return {
      nth: nths?.[index] ?? index + 1,
      result: 'ok',
      k,
      epoch: epochs[index] ?? 0,
      owned: (flag & 1) > 0,
      deadline: (flag & 2) > 0,
      unowned: (flag & 4) > 0,
    }
  })
  return refusals ? [...answers, ...refusals] : answers
}

function numbersIn(list: string | null): readonly number[] {
  return list ? list.split(',').map(Number) : []
}

export function appendedOf({ write, hash: ours }: Op, answer: AppendResult): Appended {
  switch (answer.result) {
    case 'ok':
      return { result: 'ok', events: eventsOf(write), hash: ours, epoch: answer.epoch, owned: answer.owned }
    case 'again':
      return { result: 'ok', events: readBatch(answer), hash: answer.hash, epoch: answer.epoch, owned: answer.owned }
    case 'repeated':
      return { result: 'repeated', seq: answer.seq }
    case 'conflict':
    case 'fenced':
      return { result: answer.result }
  }
}

function eventsOf({ events, expectedSeq, at }: Append): LogEvent[] {
  return events.map((event, index) => logged(event, expectedSeq + index + 1, at))
}

/** A new write, for the change feed and the dispatcher. */
export interface Written {
  readonly to: Address
  readonly k: number
  readonly seq: number
  readonly deadline: boolean
  readonly unowned: boolean
}

export function writtenOf({ write }: Op, answer: AppendResult): Written | undefined {
  if (answer.result !== 'ok') return undefined
  const { k, deadline, unowned } = answer
  return { to: write.to, k, seq: write.expectedSeq + write.events.length, deadline, unowned }
}
