/**
 * The files of a runtime. The store keeps their bytes, and a document of each file says what it is, who uploaded it, and which
 * conversations have it.
 *
 * The order makes it safe to die at any point: the bytes are durable before the document, and the document names the conversation
 * before an event of that conversation names the file. A file that no conversation has expires. The bytes of a file without a
 * document are removed by the collector.
 */
import { joined } from '@holdpoint/core/internal/log/memory-files'
import type { Json } from '@holdpoint/core/internal/json'
import type { FileFacts, FileStore } from '@holdpoint/core/internal/log/file-store'
import type { Address, Page, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { sha256 } from '@holdpoint/core/internal/sha256'
import { checkMediaType, FILE_LIMITS, FileRefused, safeName, type FileLimits } from './file-refused.ts'

export interface StoredFile extends FileFacts {
  readonly id: string
  readonly mediaType: string
  readonly name?: string
  /** Who uploaded it. Left out for a file that a tool or a model made. */
  readonly by?: string
  readonly at: number
  /** The conversations that have it. */
  readonly conversations: readonly string[]
}

export interface NewFile {
  readonly mediaType: string
  readonly name?: string | undefined
  readonly by?: string | undefined
}

export type Bytes = Uint8Array | AsyncIterable<Uint8Array>

export const FILE = 'file'
/** Under the id of the conversation: the files that it has. */
const FILES_OF = 'conversation.files'
const PAGE = 100

export class Files {
  readonly limits: Required<FileLimits>
  readonly #store: Store
  readonly #bytes: FileStore | undefined
  readonly #ports: Pick<Ports, 'id' | 'now'>
  readonly #quotas: { admitBytes(tenant: string, bytes: number): Promise<void> }

  /** `admitBytes` throws when the tenant may not store so many more bytes. */
  constructor(
    store: Store,
    ports: Pick<Ports, 'id' | 'now'>,
    limits: FileLimits,
    quotas: { admitBytes(tenant: string, bytes: number): Promise<void> },
  ) {
    this.#store = store
    this.#bytes = store.files?.()
    this.#ports = ports
    this.limits = { ...FILE_LIMITS, ...limits }
    this.#quotas = quotas
  }

  /** False: the store keeps no files. Those of messages stay in the log. */
  get kept(): boolean {
    return this.#bytes !== undefined
  }

  /** A file that no conversation has yet. */
  async upload(tenant: string, bytes: Bytes, file: NewFile): Promise<StoredFile> {
    const mediaType = checkMediaType(file.mediaType, this.limits.mediaTypes)
    await this.#quotas.admitBytes(tenant, bytes instanceof Uint8Array ? bytes.length : 0)
    return this.#write(tenant, this.#ports.id(), bytes, { ...file, mediaType }, this.limits.maxBytes)
  }

  /**
   * Stores the bytes as a file of the conversation. The same bytes under the same name are one file there, so that a request or a
   * call that is repeated gets the same file.
   */
  async keep(to: Address, bytes: Uint8Array, file: NewFile, from?: 'made-here'): Promise<StoredFile> {
    const mediaType = checkMediaType(file.mediaType, from ? ['*/*'] : this.limits.mediaTypes)
    const most = from ? Infinity : this.limits.maxBytes
    const name = safeName(file.name)
    const id = sha256(JSON.stringify([to.id, sha256(bytes), mediaType, name ?? null, file.by ?? null])).slice(0, 40)
    if (!(await this.find(to.tenant, id))) {
      if (!from) await this.#quotas.admitBytes(to.tenant, bytes.length)
      await this.#write(to.tenant, id, bytes, { ...file, mediaType }, most)
    }
    const kept = await this.attach(to, id)
    if (!kept) throw new FileRefused('unsupported', 'The file was removed while it was stored. Send it again.')
    return kept
  }

  async find(tenant: string, id: string): Promise<StoredFile | undefined> {
    return (await this.#document(tenant, id))?.file
  }

  /** Ends with an error if the bytes are gone or changed. */
  read(tenant: string, { id, sha256: hash }: Pick<StoredFile, 'id' | 'sha256'>): AsyncIterable<Uint8Array> {
    return this.#needed().read(tenant, id, hash)
  }

  async readWhole(tenant: string, file: Pick<StoredFile, 'id' | 'sha256'>): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.read(tenant, file)) parts.push(part)
    return joined(parts)
  }

  /** Gives the file to the conversation, before an event names it. Undefined if there is no such file. */
  async attach(to: Address, id: string): Promise<StoredFile | undefined> {
    const { tenant } = to
    for (;;) {
      const found = await this.#document(tenant, id)
      if (!found) return undefined
      const { file, version } = found
      if (file.conversations.includes(to.id)) return file
      await this.#list(to, id)
      const attached = { ...file, conversations: [...file.conversations, to.id] }
      const put = await this.#store.put({ tenant, kind: FILE, id, data: asJson(attached), expected: version })
      if (put.result === 'ok') return attached
    }
  }

  /** A file of an export: with its own id. False if the tenant has another file with this id. */
  async restore(to: Address, file: Omit<StoredFile, 'conversations'>, bytes: Uint8Array): Promise<boolean> {
    const there = await this.find(to.tenant, file.id)
    if (there && there.sha256 !== file.sha256) return false
    if (!there) {
      await this.#quotas.admitBytes(to.tenant, bytes.length)
      await this.#needed().write(to.tenant, file.id, [bytes])
      const data = asJson({ ...file, conversations: [] })
      await this.#store.put({ tenant: to.tenant, kind: FILE, id: file.id, data, ttlMs: this.limits.keepUnusedMs })
    }
    return (await this.attach(to, file.id)) !== undefined
  }

  /** All files of the tenant. A page may be empty and have a next one. */
  async list(
    tenant: string,
    { after, limit }: { readonly after: string | undefined; readonly limit: number },
  ): Promise<Page<StoredFile>> {
    const query = { tenant, kind: FILE, limit, ...(after !== undefined && { after }) }
    const { items, next } = await this.#store.documents(query)
    return { items: items.map(({ data }) => data as unknown as StoredFile), next }
  }

  /** Oldest first. */
  async ofConversation({ tenant, id }: Address): Promise<readonly StoredFile[]> {
    const found: StoredFile[] = []
    for (let after: string | undefined; ;) {
      const query = { tenant, kind: FILES_OF, prefix: prefixOf(id), limit: PAGE, ...(after !== undefined && { after }) }
      const { items, next } = await this.#store.documents(query)
      for (const { data } of items) {
        const file = await this.find(tenant, data as string)
        if (file?.conversations.includes(id)) found.push(file)
      }
      if (next === undefined) return found.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
      after = next
    }
  }

  /** After the conversation was erased: removes its files that no other conversation has. */
  async release({ tenant, id }: Address): Promise<void> {
    for (;;) {
      const query = { tenant, kind: FILES_OF, prefix: prefixOf(id), limit: PAGE }
      const { items } = await this.#store.documents(query)
      for (const listed of items) {
        await this.#leave(tenant, listed.data as string, new Set([id]))
        await this.#store.put({ tenant, kind: FILES_OF, id: listed.id, data: undefined })
      }
      if (items.length < PAGE) return
    }
  }

  /** Removes what a process that died, or a message that was never sent, left behind. */
  async collect(signal: AbortSignal): Promise<void> {
    const bytes = this.#bytes
    if (!bytes) return
    for (let after: string | undefined; !signal.aborted;) {
      const { items, next } = await bytes.walk({ limit: PAGE, ...(after !== undefined && { after }) })
      const before = this.#ports.now() - this.limits.keepUnusedMs
      for (const { tenant, id, at } of items) if (at < before && !signal.aborted) await this.#collectOne(tenant, id)
      if (next === undefined) return
      after = next
    }
  }

  async #collectOne(tenant: string, id: string): Promise<void> {
    const file = await this.find(tenant, id)
    if (!file) return this.#needed().remove(tenant, id)
    const { conversations } = file
    if (conversations.length === 0) return
    const heads = await this.#store.heads(conversations.map((conversation) => ({ tenant, id: conversation })))
    // A conversation that was never made: its first message was not written.
    const never = new Set(conversations.filter((_, nth) => heads[nth] === 0))
    if (never.size > 0) await this.#leave(tenant, id, never)
  }

  async #leave(tenant: string, id: string, left: ReadonlySet<string>): Promise<void> {
    for (;;) {
      const found = await this.#document(tenant, id)
      if (!found) return
      const conversations = found.file.conversations.filter((each) => !left.has(each))
      const data = conversations.length > 0 ? asJson({ ...found.file, conversations }) : undefined
      const put = await this.#store.put({ tenant, kind: FILE, id, data, expected: found.version })
      if (put.result === 'conflict') continue
      if (!data) await this.#needed().remove(tenant, id)
      return
    }
  }

  async #write(tenant: string, id: string, bytes: Bytes, given: NewFile, most: number): Promise<StoredFile> {
    const store = this.#needed()
    const limited = withinLimit(bytes instanceof Uint8Array ? [bytes] : bytes, most)
    const facts = await store.write(tenant, id, limited)
    const { mediaType, by } = given
    const name = safeName(given.name)
    const file: StoredFile = {
      id,
      mediaType,
      ...(name !== undefined && { name }),
      ...facts,
      ...(by !== undefined && { by }),
      at: this.#ports.now(),
      conversations: [],
    }
    await this.#store.put({ tenant, kind: FILE, id, data: asJson(file), ttlMs: this.limits.keepUnusedMs })
    return file
  }

  async #document(
    tenant: string,
    id: string,
  ): Promise<{ readonly file: StoredFile; readonly version: number } | undefined> {
    const found = this.#bytes && (await this.#store.get(tenant, FILE, id))
    return found && { file: found.data as unknown as StoredFile, version: found.version }
  }

  async #list({ tenant, id: conversation }: Address, id: string): Promise<void> {
    await this.#store.put({ tenant, kind: FILES_OF, id: prefixOf(conversation) + id, data: id })
  }

  #needed(): FileStore {
    if (this.#bytes) return this.#bytes
    throw new FileRefused('unsupported', 'The store of this runtime keeps no files.')
  }
}

async function* withinLimit(
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of bytes) {
    size += part.length
    if (size > most) throw new FileRefused('too-large', `A file may have at most ${most} bytes.`)
    yield part
  }
  if (size === 0) throw new FileRefused('empty', 'The file is empty.')
}

function asJson(file: StoredFile): Json {
  return file as unknown as Json
}

/** Encoded, so that no id contains the separator. */
function prefixOf(conversation: string): string {
  return `${encodeURIComponent(conversation)}/`
}
