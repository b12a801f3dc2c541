/** Sample appends. A test overrides the fields that matter to it. */
import { randomUUID } from 'node:crypto'
import type { Address, Append, Derived, EventBody, HoldRow, Json } from '@holdpoint/core'
import { followsAt } from '@holdpoint/testing'

export function at(id: string, tenant = ''): Address {
  return { tenant, id }
}

export interface Draft extends Partial<Derived> {
  readonly tenant?: string
  readonly mark?: string
  readonly events?: readonly EventBody[]
  readonly epoch?: number
  readonly node?: string
  readonly key?: string
}

export function draft(id: string, expectedSeq: number, given: Draft = {}): Append {
  const { tenant = '', mark = randomUUID(), events = [note(`after ${expectedSeq}`)], epoch, node, key } = given
  const { agent = 'desk', status = 'idle', wakeAt, base, holds = [], labels } = given
  return {
    to: { tenant, id },
    expectedSeq,
    follows: followsAt(expectedSeq),
    mark,
    events,
    at: 1,
    rows: { agent, status, wakeAt, base, holds, ...(labels === undefined ? {} : { labels }) },
    ...(epoch === undefined ? {} : { epoch }),
    ...(node === undefined ? {} : { node }),
    ...(key === undefined ? {} : { key }),
  }
}

export function note(value: Json): EventBody {
  return { type: 'state.changed', plugin: 'test', value }
}

export function hold(callId: string, given: Partial<HoldRow> = {}): HoldRow {
  return { callId, tool: 'pay', kind: 'approval', open: true, heldAt: 1, expiresAt: 2, seqs: [1], ...given }
}
