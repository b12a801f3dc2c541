/**
 * What the components under one provider share: a conversation or a space is followed once however many of them show it, a question
 * asked once, and client tools run once. Nothing is sent by making one, so a server may, and a render that is thrown away.
 */
import type { Client, LiveSpace, ToolsOfClient, Watched } from '@holdpoint/client'
import { ConversationStore } from './conversation-store.ts'

/** Conversations that nobody looks at are remembered up to so many, for whoever comes back. */
const MOST = 30

export class Page {
  readonly client: Client
  readonly #conversations = new Map<string, ConversationStore>()
  readonly #spaces = new Map<string, LiveSpace>()
  readonly #watched = new Map<string, Watched<unknown>>()
  #tools: ToolsOfClient = {}

  constructor(client: Client) {
    this.client = client
  }

  conversation(id: string): ConversationStore {
    const known = this.#conversations.get(id)
    if (known) return known
    if (this.#conversations.size >= MOST) this.#forget()
    const made = new ConversationStore(this.client, id, () => this.#tools)
    this.#conversations.set(id, made)
    return made
  }

  space(id: string): LiveSpace {
    const known = this.#spaces.get(id)
    if (known) return known
    const made = this.client.space(id)
    this.#spaces.set(id, made)
    return made
  }

  /** The same question under the same key. */
  watched<T>(key: string, ask: (client: Client, signal: AbortSignal) => Promise<T>): Watched<T> {
    const known = this.#watched.get(key)
    if (known) return known as Watched<T>
    const made = this.client.watch((signal) => ask(this.client, signal))
    this.#watched.set(key, made)
    return made
  }

  /** The names are what conversations are told; which function is behind a name is looked up when it runs. */
  setTools(tools: ToolsOfClient): void {
    this.#tools = tools
    for (const store of this.#conversations.values()) store.offerTools()
  }

  #forget(): void {
    for (const [id, store] of this.#conversations) if (!store.inUse) this.#conversations.delete(id)
  }
}
