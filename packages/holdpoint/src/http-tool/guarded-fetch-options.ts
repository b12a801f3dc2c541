/** These types use no types of Node, so that programs without them compile. */
export interface GuardedFetchOptions {
  /** Hosts in the operator's network that may be requested too: `orders.internal`, or with a port. True: any host. */
  readonly privateHosts?: readonly string[] | true
  /** The largest response. */
  readonly maxBytes: number
}

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>
