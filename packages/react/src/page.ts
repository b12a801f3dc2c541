/**
 * What the components under one provider share: a conversation or a space is followed once however many of them show it, a question
 * asked once, and client tools run once. Nothing is sent by making one, so a server may, and a render that is thrown away.
 */
import type { Client, ToolsOfClient, Watched } from '@holdpoint/client'
import { conversationStore, type ConversationStore } from './conversation-store.ts'
import { Shelf, type Shelved } from './shelf.ts'
import { spaceStore, type SpaceStore } from './space-store.ts'

export class Page {
  readonly client: Client
  readonly #conversations = new Shelf<ConversationStore>()
  readonly #spaces = new Shelf<SpaceStore>()
  readonly #watched = new Shelf<Watched<unknown>>()
  #tools: ToolsOfClient = {}

  constructor(client: Client) {
    this.client = client
  }

  conversation(id: string): Shelved<ConversationStore> {
    return this.#conversations.get(id, () => conversationStore(this.client, id, () => this.#tools))
  }

  space(id: string): Shelved<SpaceStore> {
    return this.#spaces.get(id, () => spaceStore(this.client, id, () => this.#tools))
  }

  /** The same question under the same key. */
  watched<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): Shelved<Watched<T>> {
    const made = this.#watched.get(key, () => this.client.watch((signal) => ask(this.client, signal)))
    return made as Shelved<Watched<T>>
  }

  /** The names are what the gateway is told; which function is behind a name is looked up when it runs. */
  setTools(tools: ToolsOfClient): void {
    this.#tools = tools
    for (const store of [...this.#conversations.items, ...this.#spaces.items]) store.offerTools()
  }
}
