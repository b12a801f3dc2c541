/**
 * The one global beyond the language that the core relies on: cancellation, which every host has (browsers, Node,
 * workers). Declared here, and not by a `lib`, so that nothing else of a host can slip in.
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
