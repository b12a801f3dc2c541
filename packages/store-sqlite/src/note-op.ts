/** Notes as the main thread deals with them: reads them itself, and has the writer's thread do the rest. */
import type { Store } from '@holdpoint/core'
import { toColumn } from './names.ts'
import type { Reader } from './reader.ts'
import type { Answer, NoteOp, SweepOp } from './wire.ts'

export interface Noting {
  readonly reader: Reader
  readonly now: () => number
  reading<T>(what: () => T): Promise<T>
  asking<Result extends Answer['result']>(
    op: NoteOp | SweepOp,
    wanted: Result,
  ): Promise<Extract<Answer, { result: Result }>>
}

/** So many in one transaction: what is written meanwhile goes in between. */
const SWEPT_AT_ONCE = 500

export function openNotes({ reader, now, reading, asking }: Noting): Pick<Store, 'note' | 'notes' | 'sweep'> {
  return {
    note: async ({ tenant, id }, { kind, seq, at, until = null, data }) => {
      const place = { tenant: toColumn(tenant), id: toColumn(id), kind: toColumn(kind), seq }
      await asking({ op: 'note', ...place, at, until, data: JSON.stringify(data) }, 'done')
    },
    notes: (from, query) => reading(() => reader.notes(from, query, now())),
    sweep: async (limit) => {
      let swept = 0
      for (let last = SWEPT_AT_ONCE; last === SWEPT_AT_ONCE && swept < limit; swept += last) {
        const most = Math.min(limit - swept, SWEPT_AT_ONCE)
        last = (await asking({ op: 'sweep', limit: most, now: now() }, 'swept')).count
      }
      return swept
    },
  }
}
