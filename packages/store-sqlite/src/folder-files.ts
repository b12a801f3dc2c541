/**
 * Files in a folder beside the database: `<database>-files/<tenant>/<id>`. A file is written under another name and synced, then gets
 * its name, and the folder is synced. So a file that has its name is whole and on the disk, whatever was killed when. Processes that
 * share the database share the folder: a file never changes.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { HoldpointError, type FileStore, type StoredBytes } from '@holdpoint/core'

const PIECE = 262_144
/** Files that are being written. A process that dies leaves them; they are removed when they are this old. */
const PART = '.part-'
const PART_MS = 86_400_000
/** The name of the tenant of a folder. */
const NAME = 'tenant.json'
const ID = /^[\w-]{1,200}$/

export function folderFiles(root: string, now: () => number): FileStore {
  const folderOf = (tenant: string): string => join(root, folderName(tenant))
  const pathOf = (tenant: string, id: string): string => {
    if (!ID.test(id)) throw new HoldpointError('store-unusable', 'The id of a file is a word.')
    return join(folderOf(tenant), id)
  }
  return {
    write: async (tenant, id, bytes) => {
      const path = pathOf(tenant, id)
      return onDisk(root, 'stored', async () => {
        await makeFolder(root, folderOf(tenant), tenant)
        return writeFile(path, bytes)
      })
    },
    read: (tenant, id, sha256) => readPieces(pathOf(tenant, id), id, sha256),
    remove: async (tenant, id) => {
      const path = pathOf(tenant, id)
      await onDisk(root, 'removed', async () => {
        if (!existsSync(path)) return
        await rm(path, { force: true })
        await syncFolder(dirname(path))
      })
    },
    usage: async (tenant) =>
      onDisk(root, 'counted', async () => {
        const sizes = await Promise.all((await filesIn(folderOf(tenant))).map((path) => sizeOf(path)))
        return sizes.reduce((sum, each) => sum + (each?.size ?? 0), 0)
      }),
    walk: async ({ tenant, after = '', limit }) =>
      onDisk(root, 'listed', async () => {
        const folders = tenant === undefined ? await foldersIn(root) : [folderName(tenant)]
        const keys: string[] = []
        for (const folder of folders.filter((each) => each >= after.split('/')[0]!)) {
          if (tenant === undefined) await removeParts(join(root, folder), now)
          for (const path of await filesIn(join(root, folder))) keys.push(`${folder}/${basename(path)}`)
          if (keys.filter((key) => key > after).length > limit) break
        }
        const rest = keys.filter((key) => key > after).toSorted()
        const page = rest.slice(0, limit)
        const items = await Promise.all(page.map((key) => describe(root, key)))
        return { items: items.flatMap((item) => item ?? []), next: rest.length > limit ? page.at(-1) : undefined }
      }),
  }
}

/** The folder of the files of a database. */
export function filesFolder(database: string): string {
  return `${database}-files`
}

/** A hash, because the name of a tenant may be long, differ only in case, or contain a separator. */
function folderName(tenant: string): string {
  return createHash('sha256').update(tenant).digest('hex').slice(0, 32)
}

async function makeFolder(root: string, folder: string, tenant: string): Promise<void> {
  const name = join(folder, NAME)
  if (existsSync(name)) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(name, [Buffer.from(JSON.stringify({ tenant }))])
  await syncFolder(root)
  await syncFolder(dirname(root))
}

async function writeFile(
  path: string,
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const part = `${dirname(path)}/${PART}${randomUUID()}`
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await open(part, 'wx', 0o600)
    try {
      for await (const piece of bytes) {
        hash.update(piece)
        size += piece.length
        for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, path)
    await syncFolder(dirname(path))
    return { bytes: size, sha256: hash.digest('hex') }
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    throw error
  }
}

async function* readPieces(path: string, id: string, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? damaged(id, 'is missing', error) : failed('read', error)
  })
  try {
    let last: Uint8Array | undefined
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE), 0, PIECE)
      if (bytesRead === 0) break
      // The last piece is given out only when the hash is known.
      if (last) yield last
      last = buffer.subarray(0, bytesRead)
      hash.update(last)
    }
    if (hash.digest('hex') !== sha256) throw damaged(id, 'has other bytes than the log says')
    if (last) yield last
  } finally {
    await file.close()
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  return (await entriesOf(folder)).filter((name) => ID.test(name)).map((name) => join(folder, name))
}

async function foldersIn(root: string): Promise<readonly string[]> {
  return (await entriesOf(root)).filter((name) => /^[0-9a-f]{32}$/.test(name)).toSorted()
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

async function removeParts(folder: string, now: () => number): Promise<void> {
  for (const name of await entriesOf(folder)) {
    if (!name.startsWith(PART)) continue
    const found = await sizeOf(join(folder, name))
    if (found && found.mtimeMs < now() - PART_MS) await rm(join(folder, name), { force: true })
  }
}

async function describe(root: string, key: string): Promise<StoredBytes | undefined> {
  const [folder = '', id = ''] = key.split('/')
  const found = await sizeOf(join(root, folder, id))
  const name = await readFile(join(root, folder, NAME), 'utf8').catch(() => undefined)
  if (!found || name === undefined) return undefined
  const { tenant } = JSON.parse(name) as { readonly tenant: string }
  return { tenant, id, bytes: found.size, at: Math.floor(found.mtimeMs) }
}

async function sizeOf(path: string): Promise<{ readonly size: number; readonly mtimeMs: number } | undefined> {
  return stat(path).catch(() => undefined)
}

/** A new name is on the disk only once its folder is. Windows cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const opened = await open(folder, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

/** Copies the folder of a database beside its copy. The database was copied first, so every file that it names is here. */
export async function copyFiles(from: string, to: string): Promise<number> {
  let bytes = 0
  for (const folder of await foldersIn(from)) {
    await mkdir(join(to, folder), { recursive: true, mode: 0o700 })
    for (const name of [NAME, ...(await filesIn(join(from, folder))).map((path) => basename(path))]) {
      const source = join(from, folder, name)
      const content = await open(source, 'r').catch(() => undefined)
      // An erasure may have removed it since it was listed.
      if (!content) continue
      const target = join(to, folder, name)
      try {
        await writeFile(target, content.createReadStream({ autoClose: false }))
      } finally {
        await content.close()
      }
      bytes += (await sizeOf(target))?.size ?? 0
    }
    await syncFolder(to)
  }
  return bytes
}

async function onDisk<T>(root: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // An error of the bytes themselves, such as a file that is too large, is the caller's.
    if (!isOfSystem(error)) throw error
    throw failed(what, error, root)
  }
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function failed(what: string, cause: NodeJS.ErrnoException, root = ''): HoldpointError {
  const why = cause.code === 'ENOSPC' ? 'the disk is full' : cause.message
  return new HoldpointError('store-unavailable', `A file could not be ${what}${root && ` in ${root}`}: ${why}.`, {
    cause,
  })
}

function damaged(id: string, what: string, cause?: unknown): HoldpointError {
  return new HoldpointError('log-damaged', `The file "${id}" ${what}.`, { cause })
}
