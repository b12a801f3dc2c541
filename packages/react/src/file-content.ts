/** The bytes of one stored file. They are read once, when a component first shows them: a file never changes. */
import type { Client } from '@holdpoint/client'

export interface FileState {
  /** Undefined until the bytes have arrived. */
  readonly blob: Blob | undefined
  readonly error: Error | undefined
}

export class FileContent {
  state: FileState = { blob: undefined, error: undefined }
  readonly #read: () => Promise<Blob>
  readonly #listeners = new Set<() => void>()
  #isReading = false

  constructor(client: Client, id: string) {
    this.#read = () => client.files.read(id)
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    // After an error, the next component that shows the file tries again.
    if (this.state.blob === undefined) void this.#load()
    return () => void this.#listeners.delete(listener)
  }

  async #load(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    this.state = await this.#read().then(
      (blob) => ({ blob, error: undefined }),
      (error: Error) => ({ blob: undefined, error }),
    )
    this.#isReading = false
    for (const listener of this.#listeners) listener()
  }
}
