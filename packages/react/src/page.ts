/**
 * What the components under one provider share: one connection per conversation or space, one request per watched key, and
 * one run per client call. Creating it sends no request, so it is safe during server rendering and in discarded renders.
 */
import type { Client, ClientToolSet, Watched } from '@holdpoint/client'
import { conversationStore, type ConversationStore } from './conversation-store.ts'
import { FileContent } from './file-content.ts'
import { SharedObjects, type Shared } from './shared-objects.ts'
import { spaceStore, type SpaceStore } from './space-store.ts'

export class Page {
  readonly client: Client
  readonly #conversations = new SharedObjects<ConversationStore>()
  readonly #spaces = new SharedObjects<SpaceStore>()
  readonly #watched = new SharedObjects<Watched<unknown>>()
  readonly #files = new SharedObjects<FileContent>()
  #tools: ClientToolSet = {}

  constructor(client: Client) {
    this.client = client
  }

  conversation(id: string): Shared<ConversationStore> {
    return this.#conversations.get(id, () => conversationStore(this.client, id, () => this.#tools))
  }

  space(id: string): Shared<SpaceStore> {
    return this.#spaces.get(id, () => spaceStore(this.client, id, () => this.#tools))
  }

  file(id: string): Shared<FileContent> {
    return this.#files.get(id, () => new FileContent(this.client, id))
  }

  /** One shared request for each key. */
  watched<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): Shared<Watched<T>> {
    const watched = this.#watched.get(key, () => this.client.watch((signal) => ask(this.client, signal)))
    return watched as Shared<Watched<T>>
  }

  /** The gateway gets the names. The function for a name is looked up when a call runs. */
  setTools(tools: ClientToolSet): void {
    this.#tools = tools
    for (const store of [...this.#conversations.items, ...this.#spaces.items]) store.offerTools()
  }
}
