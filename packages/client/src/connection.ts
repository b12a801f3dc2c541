/** The state of a connection that reconnects automatically. */
export type Connection =
  /** There is no listener, so there is no connection. */
  | { readonly state: 'off' }
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** Reconnects at `retryAt`. `error` is the failure, if there was one. */
  | { readonly state: 'waiting'; readonly error?: Error; readonly retryAt: number }
  /** Does not reconnect: the credential is not accepted, or an event is too large. */
  | { readonly state: 'stopped'; readonly error: Error }
