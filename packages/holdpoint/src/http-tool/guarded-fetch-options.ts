/** No type of Node is named: programs without them compile. */
export interface GuardedFetchOptions {
  /** Hosts in the operator's own network that may be asked as well: `orders.internal`, or with a port. True: any. */
  readonly privateHosts?: readonly string[] | true
  /** The most that is read of an answer. */
  readonly maxBytes: number
}

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>
