/** The store's methods for notes: reads on the main thread, writes in the writer thread. */
import type { Store } from '@holdpoint/core'
import { toColumn } from './column-name.ts'
import type { Reader } from './reader.ts'
import type { OpResult, NoteOp, SweepOp } from './writer-messages.ts'

export interface NoteAccess {
  readonly reader: Reader
  readonly now: () => number
  reading<T>(what: () => T): Promise<T>
  asking<Result extends OpResult['result']>(
    op: NoteOp | SweepOp,
    wanted: Result,
  ): Promise<Extract<OpResult, { result: Result }>>
}

/** Rows per transaction, so that other writes run in between. */
const SWEEP_BATCH = 500

export function openNotes({ reader, now, reading, asking }: NoteAccess): Pick<Store, 'note' | 'notes' | 'sweep'> {
  return {
    note: async ({ tenant, id }, { kind, seq, at, until = null, data }) => {
      const place = { tenant: toColumn(tenant), id: toColumn(id), kind: toColumn(kind), seq }
      await asking({ op: 'note', ...place, at, until, data: JSON.stringify(data) }, 'done')
    },
    notes: (from, query) => reading(() => reader.notes(from, query, now())),
    sweep: async (limit) => {
      let swept = 0
      for (let last = SWEEP_BATCH; last === SWEEP_BATCH && swept < limit; swept += last) {
        const most = Math.min(limit - swept, SWEEP_BATCH)
        last = (await asking({ op: 'sweep', limit: most, now: now() }, 'swept')).count
      }
      return swept
    },
  }
}
