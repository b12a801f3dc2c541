/** Converts an append to the writer thread's operation, and the answer back. */
import { appendText, decodeBatch, encodeBatch, logged, type Append, type Appended, type HoldRow } from '@holdpoint/core'
import { toColumn } from './column-name.ts'
import { sha256 } from './intact.ts'
import { sqliteErrorMessage } from './sqlite-error.ts'
import type { OpResult, AppendOp, HoldCells } from './writer-messages.ts'

/** An append that cannot be encoded as JSON fails before it is sent. */
export function toAppendOp(write: Append, now: number): AppendOp | Extract<Appended, { result: 'failed' }> {
  if (write.events.length === 0) return { result: 'failed', why: 'it has no events' }
  try {
    return encode(write, now)
  } catch (error) {
    return { result: 'failed', why: `it cannot be encoded as JSON: ${sqliteErrorMessage(error)}` }
  }
}

function encode(write: Append, now: number): AppendOp {
  const { to, expectedSeq, follows, mark, at, rows, erase, node, epoch, key } = write
  const events = encodeBatch(write.events)
  const base = rows.base === undefined ? null : JSON.stringify(rows.base)
  return {
    op: 'append',
    tenant: toColumn(to.tenant),
    id: toColumn(to.id),
    expectedSeq,
    follows,
    hash: sha256(appendText(write, events)),
    mark: toColumn(mark),
    events,
    count: write.events.length,
    at,
    agent: toColumn(rows.agent),
    status: rows.status,
    wakeAt: rows.wakeAt ?? null,
    base,
    baseHash: base === null ? null : sha256(base),
    holds: rows.holds.map(toCells),
    labels: rows.labels ? toLabels(rows.labels) : null,
    hidden: rows.hidden ? 1 : 0,
    erase: erase ?? false,
    epoch: epoch ?? null,
    node: node === undefined ? null : toColumn(node),
    key: key === undefined ? null : toColumn(key),
    now,
  }
}

function toCells({ callId, tool, seqs, labels, ...row }: HoldRow): HoldCells {
  const cells = { ...row, callId: toColumn(callId), tool: toColumn(tool), seqs: JSON.stringify(seqs) }
  return { ...cells, labels: labels && labels.length > 0 ? toLabels(labels) : null }
}

function toLabels(labels: readonly string[]): string {
  return JSON.stringify(labels.map(toColumn))
}

export function toAppended({ events, expectedSeq, at }: Append, { hash: ours }: AppendOp, answer: OpResult): Appended {
  switch (answer.result) {
    case 'ok': {
      const written = events.map((event, index) => logged(event, expectedSeq + index + 1, at))
      return { result: 'ok', events: written, hash: ours, epoch: answer.epoch, owned: answer.owned }
    }
    case 'again': {
      const { batch, epoch, owned } = answer
      return { result: 'ok', events: decodeBatch(batch), hash: batch.hash, epoch, owned }
    }
    case 'conflict':
    case 'fenced':
    case 'repeated':
    case 'failed':
    case 'unknown':
      return answer
    case 'taken-over':
    case 'due':
    case 'put':
    case 'swept':
    case 'done':
      return { result: 'unknown', why: `the writer thread answered "${answer.result}" to an append` }
  }
}
