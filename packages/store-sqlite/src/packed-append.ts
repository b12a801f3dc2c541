/** An append as an array, without field names, because cloning the names costs more than cloning the values. */
import type { AppendOp } from './writer-messages.ts'

type Field<Name extends keyof AppendOp> = AppendOp[Name]

export type PackedAppend = readonly [
  tenant: Field<'tenant'>,
  id: Field<'id'>,
  expectedSeq: Field<'expectedSeq'>,
  follows: Field<'follows'>,
  hash: Field<'hash'>,
  mark: Field<'mark'>,
  events: Field<'events'>,
  count: Field<'count'>,
  at: Field<'at'>,
  agent: Field<'agent'>,
  status: Field<'status'>,
  wakeAt: Field<'wakeAt'>,
  base: Field<'base'>,
  baseHash: Field<'baseHash'>,
  holds: Field<'holds'>,
  labels: Field<'labels'>,
  hidden: Field<'hidden'>,
  erase: Field<'erase'>,
  epoch: Field<'epoch'>,
  node: Field<'node'>,
  key: Field<'key'>,
  now: Field<'now'>,
]

export function packAppend(op: AppendOp): PackedAppend {
  const { tenant, id, expectedSeq, follows, hash, mark, events, count, at, agent } = op
  const { status, wakeAt, base, baseHash, holds, labels, hidden, erase, epoch, node, key, now } = op
  const rows = [agent, status, wakeAt, base, baseHash, holds, labels, hidden, erase] as const
  return [tenant, id, expectedSeq, follows, hash, mark, events, count, at, ...rows, epoch, node, key, now]
}

export function unpackAppend(packed: PackedAppend): AppendOp {
  const [tenant, id, expectedSeq, follows, hash, mark, events, count, at, ...rest] = packed
  const [agent, status, wakeAt, base, baseHash, holds, labels, hidden, erase, epoch, node, key, now] = rest
  return {
    op: 'append',
    tenant,
    id,
    expectedSeq,
    follows,
    hash,
    mark,
    events,
    count,
    at,
    agent,
    status,
    wakeAt,
    base,
    baseHash,
    holds,
    labels,
    hidden,
    erase,
    epoch,
    node,
    key,
    now,
  }
}
