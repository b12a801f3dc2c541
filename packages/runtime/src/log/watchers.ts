/** The watchers of a log in this process, and the newest progress of its running calls, for watchers that come later. */
import type { Json } from '@holdpoint/core/internal/json'
import { watcher, type StreamItem, type Watch } from '../session/live-stream.ts'

export class Watchers {
  readonly progress: Map<string, Json> = new Map()
  readonly #watchers = new Set<Watch>()

  get watching(): boolean {
    return this.#watchers.size > 0
  }

  /** When a watcher throws, `check` throws its error after the work. Other watchers are not affected. */
  admit(watch: Watch | undefined): { check(): void; leave(): void } | undefined {
    const watching = watcher(watch)
    if (!watching) return undefined
    this.#watchers.add(watching.show)
    return { check: watching.check, leave: () => this.#watchers.delete(watching.show) }
  }

  show(item: StreamItem): void {
    if (item.type === 'call-progress') this.progress.set(item.callId, item.value)
    else if (item.type === 'call.settled') this.progress.delete(item.callId)
    for (const watch of this.#watchers) watch(item)
  }
}
