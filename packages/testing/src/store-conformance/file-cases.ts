/** Files beside the logs. A store without files passes all cases. */
import type { FileStore, Store, StoredBytes } from '@holdpoint/core'
import { sha256 } from '@holdpoint/core/internal/sha256'
import { fail, holds, same } from './expect.ts'
import type { Case, Cases } from './scene.ts'

const SMALL = new TextEncoder().encode('a small file')
/** Larger than the pieces of any store, and not a multiple of one. */
const LARGE = Uint8Array.from({ length: 700_001 }, (_, at) => (at * 31 + (at >> 8)) & 255)

const withFiles =
  (act: (files: FileStore, scene: Parameters<Case>[0]) => Promise<void>): Case =>
  async (scene) => {
    const files = filesOf(scene.store)
    if (files) await act(files, scene)
  }

function filesOf(store: Store): FileStore | undefined {
  return store.files?.()
}

async function bytesOf(files: FileStore, tenant: string, id: string, content: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of files.read(tenant, id, sha256(content))) parts.push(part)
  return Buffer.concat(parts)
}

async function refuses(reading: Promise<unknown>, what: string): Promise<void> {
  const failed = await reading.then(
    () => false,
    () => true,
  )
  holds(failed, what)
}

async function all(files: FileStore, tenant?: string): Promise<readonly StoredBytes[]> {
  const found: StoredBytes[] = []
  for (let after: string | undefined; ;) {
    const of = { ...(tenant !== undefined && { tenant }), ...(after !== undefined && { after }) }
    const page = await files.walk({ ...of, limit: 2 })
    holds(page.items.length <= 2, 'a page has more files than were asked for')
    found.push(...page.items)
    if (page.next === undefined) return found
    after = page.next
  }
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield SMALL
  await Promise.resolve()
  throw new Error('the upload broke off')
}

async function* inSteps(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 99_999) {
    await Promise.resolve()
    yield content.subarray(at, at + 99_999)
  }
}

export const fileCases: Cases = {
  'a file is read as it was written, through another handle too, and its size and hash are told': withFiles(
    async (files, { another }) => {
      const other = filesOf(await another()) ?? fail('another handle has no files')
      for (const [id, content] of [
        ['small', SMALL],
        ['large', LARGE],
      ] as const) {
        const facts = await files.write('', id, id === 'small' ? [content] : inSteps(content))
        same(facts, { bytes: content.length, sha256: sha256(content) }, `the size and hash of the ${id} file`)
        for (const handle of [files, other])
          holds(Buffer.compare(await bytesOf(handle, '', id, content), content) === 0, `the ${id} file has other bytes`)
      }
    },
  ),

  'a file with other bytes than expected, or none, is an error and not a short file': withFiles(async (files) => {
    await files.write('', 'a', [LARGE])
    await refuses(bytesOf(files, '', 'a', SMALL), 'bytes with another hash were read to the end')
    await refuses(bytesOf(files, '', 'b', SMALL), 'a file that is not there was read to the end')
  }),

  'a file whose bytes break off is not there': withFiles(async (files) => {
    await refuses(files.write('', 'a', broken()), 'the error of the bytes was lost')
    await refuses(bytesOf(files, '', 'a', SMALL), 'the beginning of a file was kept')
    same(await files.usage(''), 0, 'the bytes of the file that broke off')
  }),

  'a file may be written again with the same bytes': withFiles(async (files) => {
    await files.write('', 'a', [LARGE])
    await files.write('', 'a', [LARGE])
    holds(Buffer.compare(await bytesOf(files, '', 'a', LARGE), LARGE) === 0, 'the file has other bytes')
    same(await files.usage(''), LARGE.length, 'the bytes of the one file')
  }),

  'the files of a tenant are apart from those of others': withFiles(async (files) => {
    await files.write('acme', 'a', [SMALL])
    await files.write('Acme', 'a', [LARGE])
    holds((await bytesOf(files, 'acme', 'a', SMALL)).length === SMALL.length, 'a tenant got the file of another')
    await refuses(bytesOf(files, '', 'a', SMALL), 'a tenant read the file of another')
    await files.remove('acme', 'a')
    holds((await bytesOf(files, 'Acme', 'a', LARGE)).length === LARGE.length, 'the file of another tenant was removed')
    same([await files.usage('acme'), await files.usage('Acme')], [0, LARGE.length], 'the bytes of each tenant')
  }),

  'a removed file is gone, and the others stay': withFiles(async (files) => {
    await files.write('', 'a', [SMALL])
    await files.write('', 'b', [SMALL])
    await files.remove('', 'a')
    await files.remove('', 'a')
    await refuses(bytesOf(files, '', 'a', SMALL), 'a removed file was read')
    same((await bytesOf(files, '', 'b', SMALL)).length, SMALL.length, 'the size of the other file')
  }),

  'every file is listed once, page by page, of one tenant or of all': withFiles(async (files) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await files.write('', id, [SMALL])
    for (const id of ['a', 'x', 'y']) await files.write('acme', id, [SMALL])
    const keys = (found: readonly StoredBytes[]): readonly string[] =>
      found.map(({ tenant, id, bytes }) => `${tenant}/${id}/${bytes}`).toSorted()
    const own = ['a', 'b', 'c', 'd', 'e'].map((id) => `/${id}/12`)
    const others = ['a', 'x', 'y'].map((id) => `acme/${id}/12`)
    same(keys(await all(files, '')), own, 'the files of a tenant')
    same(keys(await all(files)), [...own, ...others], 'all files')
    for (const { at } of await all(files)) holds(at > 0, 'a file has no time')
  }),
}
