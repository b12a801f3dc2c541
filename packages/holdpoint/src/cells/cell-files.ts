/** The files of a store over several cells: each in the cell of its tenant. */
import { HoldpointError, type FileStore, type Store } from '@holdpoint/core'
import type { Directory } from './directory.ts'

export function cellFiles(cells: ReadonlyMap<string, Store>, directory: Directory): FileStore {
  const at = (cell: string): FileStore => {
    const files = cells.get(cell)?.files?.()
    if (files) return files
    throw new HoldpointError('store-unusable', `The cell "${cell}" keeps no files, or this process does not have it.`)
  }
  const of = async (tenant: string): Promise<FileStore> => at((await directory.placeOf(tenant)).cell)
  return {
    write: async (tenant, id, bytes) => {
      await directory.placeToWrite(tenant)
      return at((await directory.settled(tenant)).cell).write(tenant, id, bytes)
    },
    read: async function* (tenant, id, sha256) {
      yield* (await of(tenant)).read(tenant, id, sha256)
    },
    remove: async (tenant, id) => (await of(tenant)).remove(tenant, id),
    usage: async (tenant) => (await of(tenant)).usage(tenant),
    /** One cell after the other. A copy that is not in use yet, or no more, is left out. */
    walk: async ({ after, ...query }) => {
      if (query.tenant !== undefined)
        return (await of(query.tenant)).walk({ ...query, ...(after !== undefined && { after }) })
      const names = [...cells.keys()]
      const [nth, place] = after === undefined ? [0, undefined] : (JSON.parse(after) as [number, string?])
      const name = names[nth]
      if (name === undefined) return { items: [], next: undefined }
      const page = await at(name).walk({ ...query, ...(place !== undefined && { after: place }) })
      const places = await Promise.all(page.items.map(({ tenant }) => directory.placeOf(tenant)))
      const over = page.next === undefined && nth + 1 >= names.length
      return {
        items: page.items.filter((_, index) => places[index]!.cell === name),
        next: over ? undefined : JSON.stringify(page.next === undefined ? [nth + 1] : [nth, page.next]),
      }
    },
  }
}
