/** How it is with a connection that comes again by itself. */
export type Connection =
  /** Nobody listens. */
  | { readonly state: 'off' }
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** It comes again at `retryAt`; `error` says what happened, if anything did. */
  | { readonly state: 'waiting'; readonly error?: Error; readonly retryAt: number }
  /** It does not come again by itself: the credential is no longer good, or an event is too large. */
  | { readonly state: 'stopped'; readonly error: Error }
