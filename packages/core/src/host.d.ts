/**
 * The only global of a host that the core uses: every host (browsers, Node, workers) has abort signals. They are declared here and
 * not by a `lib`, so that the core cannot use other globals.
 */
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
