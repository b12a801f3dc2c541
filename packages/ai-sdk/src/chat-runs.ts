/**
 * Where the steps of counted answers begin. The front end says how many chunks it has, and we need to know which step that is.
 *
 * A stream of a counted answer ends before each further step, and the front end asks for the rest. So a step always begins a
 * stream, and its place is written before the stream begins: a killed server cannot forget it.
 */
import { createHash } from 'node:crypto'
import type { Store } from '@holdpoint/core'
import { z } from 'zod'
import type { Resumption } from './message-writer.ts'

/** The document methods of a store. */
export type RunDocuments = Pick<Store, 'put' | 'get'>

/** The step after `after` begins with the chunk `at`. */
interface Mark {
  readonly at: number
  readonly after: number
}

const KIND = 'chat-run'
/** Longer than a front end tries to come back to an answer. */
const TTL_MS = 86_400_000
/** Streams that ended before a step, and whose front end has not asked for the rest. */
const MOST_PAUSED = 10_000

const marks = z.array(z.object({ at: z.number(), after: z.number() }))

export class ChatRuns {
  readonly #documents: RunDocuments | undefined
  readonly #inMemory = new Map<string, readonly Mark[]>()
  readonly #paused = new Map<string, Mark>()

  /** Without `documents`, a front end whose server was killed reads the answer from its beginning when it resumes. */
  constructor(documents?: RunDocuments) {
    this.#documents = documents
  }

  /** A stream ended before a step: the front end that says it has this many chunks has all of the steps before. */
  pause(tenant: string, run: string, mark: Mark): void {
    remember(this.#paused, keyOf(tenant, run), mark)
  }

  /** `known`: the last step that the front end had before the answer. Undefined: it has nothing of the answer. */
  async resume(tenant: string, run: string, known: number, chunks: number): Promise<Resumption | undefined> {
    const key = keyOf(tenant, run)
    const stored = await this.#read(tenant, key)
    const begun = stored.filter(({ at }) => at < chunks)
    const paused = this.#paused.get(key)
    this.#paused.delete(key)
    if (paused?.at === chunks) {
      await this.#write(tenant, key, [...begun, paused])
      return { after: paused.after, how: 'next' }
    }
    // Chunks that were sent and did not arrive. Others will have their numbers.
    if (begun.length < stored.length) await this.#write(tenant, key, begun)
    const last = begun.at(-1)
    if (last) return { after: last.after, how: 'again' }
    if (known > 0) return { after: known, how: 'calls' }
    return chunks < 2 ? undefined : { after: 0, how: 'again' }
  }

  async #read(tenant: string, key: string): Promise<readonly Mark[]> {
    if (!this.#documents) return this.#inMemory.get(key) ?? []
    const found = await this.#documents.get(tenant, KIND, key)
    return marks.safeParse(found?.data).data ?? []
  }

  async #write(tenant: string, key: string, begun: readonly Mark[]): Promise<void> {
    if (!this.#documents) return remember(this.#inMemory, key, begun)
    const data = begun.map(({ at, after }) => ({ at, after }))
    await this.#documents.put({ tenant, kind: KIND, id: key, data, ttlMs: TTL_MS })
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MOST_PAUSED && oldest !== undefined) map.delete(oldest)
}

function keyOf(tenant: string, run: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tenant, run]))
    .digest('hex')
}
