/**
 * Files in pieces, each a row. The row of a file is written before its first piece, so that pieces of a writer that died are found.
 * Readers compare the hash, so a file is whole once its last piece is there.
 */
import { createHash } from 'node:crypto'
import { HoldpointError, type FileStore } from '@holdpoint/core'
import type { Connections } from './connections.ts'
import type { Settings } from './settings.ts'
import { fromStored, toStored } from './stored-name.ts'

const PIECE = 262_144

export function openFiles({ schema, clockOffset }: Settings, { read, once }: Connections): FileStore {
  const remove = async (tenant: string, id: string): Promise<void> => {
    // The row goes last: without it, pieces would not be found any more.
    for (const table of ['file_pieces', 'files'])
      await once({
        name: `remove from ${table}`,
        text: `delete from ${schema}.${table} where tenant = $1 and id = $2`,
        values: [tenant, id],
      })
  }
  return {
    write: writer(schema, clockOffset, once, remove),
    read: async function* (tenant, id, sha256) {
      const hash = createHash('sha256')
      let last: Buffer | undefined
      for (let nth = 0; ; nth++) {
        const [row] = await read<{ readonly data: Buffer }>({
          name: 'piece of file',
          text: `select data from ${schema}.file_pieces where tenant = $1 and id = $2 and nth = $3`,
          values: [toStored(tenant), toStored(id), nth],
        })
        if (!row) break
        // The last piece is given out only when the hash is known.
        if (last) yield last
        last = row.data
        hash.update(last)
      }
      if (!last) throw damaged(id, 'is missing')
      if (hash.digest('hex') !== sha256) throw damaged(id, 'has other bytes than the log says')
      yield last
    },
    remove: (tenant, id) => remove(toStored(tenant), toStored(id)),
    usage: async (tenant) => {
      const [row] = await read<{ readonly bytes: string | number }>({
        name: 'bytes of files',
        text: `select coalesce(sum(bytes), 0) as bytes from ${schema}.files where tenant = $1`,
        values: [toStored(tenant)],
      })
      return Number(row?.bytes ?? 0)
    },
    walk: async ({ tenant, after, limit }) => {
      const [fromTenant, fromId] = after === undefined ? ['', ''] : (JSON.parse(after) as [string, string])
      const rows = await read<FileRow>({
        name: 'walk files',
        text: `select tenant, id, bytes, at from ${schema}.files
          where (tenant, id) > ($1, $2) and tenant >= $3 and tenant <= coalesce($4, tenant)
          order by tenant, id limit $5`,
        values: [
          fromTenant,
          fromId,
          tenant === undefined ? '' : toStored(tenant),
          tenant === undefined ? null : toStored(tenant),
          limit,
        ],
      })
      const last = rows.length === limit ? rows.at(-1) : undefined
      return {
        items: rows.map((row) => ({
          tenant: fromStored(row.tenant),
          id: fromStored(row.id),
          bytes: Number(row.bytes),
          at: row.at,
        })),
        next: last && JSON.stringify([last.tenant, last.id]),
      }
    },
  }
}

function writer(
  schema: string,
  clockOffset: Settings['clockOffset'],
  once: Connections['once'],
  remove: (tenant: string, id: string) => Promise<void>,
): FileStore['write'] {
  const put = (tenant: string, id: string, nth: number, data: Buffer): Promise<unknown> =>
    once({
      name: 'put piece of file',
      text: `insert into ${schema}.file_pieces (tenant, id, nth, data) values ($1, $2, $3, $4)
        on conflict (tenant, id, nth) do update set data = excluded.data`,
      values: [tenant, id, nth, data],
    })
  return async (tenant, id, bytes) => {
    const key = [toStored(tenant), toStored(id)] as const
    await once({
      name: 'begin file',
      text: `insert into ${schema}.files (tenant, id, bytes, at) values ($1, $2, 0, ${schema}.now_ms($3))
          on conflict (tenant, id) do update set at = excluded.at`,
      values: [...key, clockOffset()],
    })
    const hash = createHash('sha256')
    let [size, nth] = [0, 0]
    try {
      for await (const piece of inPieces(bytes)) {
        hash.update(piece)
        size += piece.length
        await put(...key, nth++, piece)
      }
    } catch (error) {
      // A writer that could not finish, and cannot remove either, leaves it to the runtime.
      await remove(...key).catch(() => {})
      throw error
    }
    await once({
      name: 'end file',
      text: `update ${schema}.files set bytes = $3 where tenant = $1 and id = $2`,
      values: [...key, size],
    })
    return { bytes: size, sha256: hash.digest('hex') }
  }
}

interface FileRow {
  readonly tenant: string
  readonly id: string
  readonly bytes: number | string
  readonly at: number
}

/** Pieces of one size, whatever the sizes of those that come. */
async function* inPieces(bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const given of bytes)
    for (let at = 0; at < given.length;) {
      const part = given.subarray(at, at + PIECE - size)
      held.push(part)
      size += part.length
      at += part.length
      if (size < PIECE) continue
      yield Buffer.concat(held)
      held = []
      size = 0
    }
  if (size > 0) yield Buffer.concat(held)
}

function damaged(id: string, what: string): HoldpointError {
  return new HoldpointError('log-damaged', `The file "${id}" ${what}.`)
}
