/** The files of one conversation: those that come with messages, that its model reads, and that models and tools make. */
import { fromBase64, toBase64 } from '@holdpoint/core/internal/base64'
import { HoldpointError, messageOf } from '@holdpoint/core/internal/failure'
import type { UserPart } from '@holdpoint/core/internal/log/message'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { FileData, Model } from '@holdpoint/core/internal/model/model'
import type { Reply } from '@holdpoint/core/internal/model/reply'
import type { PromptMessage } from '@holdpoint/core/internal/prompt/prompt'
import { fromUtf8 } from '@holdpoint/core/internal/utf8'
import type { Files, NewFile, StoredFile } from './files.ts'
import { isMediaType } from './file-refused.ts'

type FilePart = Extract<UserPart, { readonly type: 'file' }>
type StoredData = Extract<FileData, { readonly kind: 'stored' }>

const ACCEPTS: readonly string[] = ['image/*', 'application/pdf']
/** Every model reads these, as text. */
const TEXTS = /^text\/|^application\/(?:json|xml|yaml|x-yaml|x-ndjson|sql|javascript)$|[+](?:json|xml)$/
const LONGEST_TEXT = 1_000_000

/** A message names a file that its author may not use, or that does not exist. Both look the same. */
export class FileMissing extends Error {
  constructor(id: string) {
    super(`There is no file "${id}" that this caller may send. Upload it first.`)
  }
}

export class ConversationFiles {
  readonly #files: Files
  readonly #address: Address
  readonly #problem: (error: unknown) => void

  constructor(files: Files, address: Address, problem: (error: unknown) => void) {
    this.#files = files
    this.#address = address
    this.#problem = problem
  }

  /** The parts of a message with their files in the store. Throws `FileMissing`, or `FileRefused`. */
  async take(parts: readonly UserPart[], by: string | undefined): Promise<readonly UserPart[]> {
    const taken: UserPart[] = []
    for (const part of parts) taken.push(part.type === 'file' ? await this.#takePart(part, by) : part)
    return taken
  }

  async #takePart(part: FilePart, by: string | undefined): Promise<UserPart> {
    const { file, mediaType, filename } = part
    if (file.kind === 'stored') return partOf(await this.attach(file.id, by))
    const base64 = base64Of(file)
    if (base64 === undefined || !this.#files.kept) return part
    const bytes = fromBase64(base64)
    if (!bytes) throw new HoldpointError('config-invalid', 'The data of a file is not base64.')
    const from = { mediaType, name: filename, ...(by !== undefined && { by }) }
    return partOf(await this.#files.keep(this.#address, bytes, from))
  }

  /** A file that this person uploaded, or that the conversation has. Without a person, any file of the tenant. */
  async attach(id: string, by: string | undefined): Promise<StoredFile> {
    const attached = (await this.#mayUse(id, by)) ? await this.#files.attach(this.#address, id) : undefined
    if (!attached) throw new FileMissing(id)
    return attached
  }

  /** All of them, or none if one may not be used. */
  async attachAll(ids: readonly string[], by: string | undefined): Promise<void> {
    for (const id of ids) if (!(await this.#mayUse(id, by))) throw new FileMissing(id)
    for (const id of ids) await this.attach(id, by)
  }

  async #mayUse(id: string, by: string | undefined): Promise<boolean> {
    const { tenant, id: conversation } = this.#address
    const found = await this.#files.find(tenant, id)
    return found !== undefined && (by === undefined || found.by === by || found.conversations.includes(conversation))
  }

  /** Stores what a tool or a model made. It has no limits of an upload. */
  keep(bytes: Uint8Array, file: NewFile): Promise<StoredFile> {
    return this.#files.keep(this.#address, bytes, file, 'made-here')
  }

  get kept(): boolean {
    return this.#files.kept
  }

  /** The reply with its files in the store. */
  async keepReply(reply: Reply): Promise<Reply> {
    if (!this.kept || !reply.parts.some((part) => part.type === 'file' && base64Of(part.file) !== undefined))
      return reply
    const parts = await Promise.all(
      reply.parts.map(async (part) => {
        const base64 = part.type === 'file' ? base64Of(part.file) : undefined
        const bytes = base64 === undefined ? undefined : fromBase64(base64)
        if (part.type !== 'file' || !bytes || bytes.length === 0) return part
        try {
          return { ...part, file: storedData(await this.keep(bytes, { mediaType: part.mediaType })) }
        } catch (error) {
          // The reply is not lost because its file cannot be stored elsewhere.
          this.#problem(error)
          return part
        }
      }),
    )
    return { ...reply, parts }
  }

  /** The prompt as this model reads it: with the bytes of files, or with a line about a file that it cannot read. */
  load(prompt: readonly PromptMessage[], model: Model): Promise<readonly PromptMessage[]> {
    return Promise.all(
      prompt.map(async (message): Promise<PromptMessage> => {
        if (message.role === 'user' && message.parts.some(hasStored))
          return { ...message, parts: await Promise.all(message.parts.map((part) => this.#loadPart(part, model))) }
        if (message.role !== 'assistant' || !message.parts.some(hasStored)) return message
        return { ...message, parts: await Promise.all(message.parts.map((part) => this.#loadPart(part, model))) }
      }),
    )
  }

  async #loadPart<P extends { readonly type: string }>(
    part: P | FilePart,
    { accepts = ACCEPTS }: Model,
  ): Promise<P | { readonly type: 'text'; readonly text: string }> {
    if (!hasStored(part)) return part as P
    const { mediaType, file, filename } = part
    const isText = TEXTS.test(mediaType) && file.bytes <= LONGEST_TEXT
    if (!isText && !isMediaType(mediaType, accepts)) return stub(part, 'This model cannot read it.')
    try {
      const bytes = await this.#files.readWhole(this.#address.tenant, file)
      if (isText)
        return { type: 'text', text: `File ${JSON.stringify(filename ?? file.id)} (${mediaType}):\n${fromUtf8(bytes)}` }
      return { ...part, file: { kind: 'base64', base64: toBase64(bytes) } } as unknown as P
    } catch (error) {
      this.#problem(new Error(`A file could not be read for the model: ${messageOf(error)}`, { cause: error }))
      return stub(part, 'It could not be read.')
    }
  }
}

/** Whether the prompt has files in the store, which the model cannot read from there. */
export function hasStoredFiles(prompt: readonly PromptMessage[]): boolean {
  return prompt.some(
    (message) => (message.role === 'user' || message.role === 'assistant') && message.parts.some(hasStored),
  )
}

function hasStored(part: { readonly type: string }): part is FilePart & { readonly file: StoredData } {
  return part.type === 'file' && (part as FilePart).file.kind === 'stored'
}

function stub(
  { mediaType, file, filename }: FilePart & { readonly file: StoredData },
  why: string,
): { type: 'text'; text: string } {
  return {
    type: 'text',
    text: `(File ${JSON.stringify(filename ?? file.id)}, ${mediaType}, ${file.bytes} bytes. ${why})`,
  }
}

function base64Of(file: FileData): string | undefined {
  if (file.kind === 'base64') return file.base64
  return file.kind === 'url' ? /^data:[^,]*;base64,(.*)$/s.exec(file.url)?.[1] : undefined
}

export function storedData({ id, bytes, sha256 }: StoredFile): StoredData {
  return { kind: 'stored', id, bytes, sha256 }
}

function partOf(file: StoredFile): UserPart {
  const { mediaType, name } = file
  return { type: 'file', mediaType, file: storedData(file), ...(name !== undefined && { filename: name }) }
}
