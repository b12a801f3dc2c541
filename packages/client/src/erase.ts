import type { Http, RequestOptions } from './http.ts'

export interface EraseOptions extends RequestOptions {
  /** Erase although a turn is in progress or a call is held. */
  readonly cancel?: boolean
  /** It stays in the tombstone. */
  readonly reason?: string
  /** The person that a key acts for. */
  readonly by?: string
}

/** Erases the conversation at this path. */
export async function erase(
  http: Http,
  path: string,
  { cancel, reason, by, ...options }: EraseOptions = {},
): Promise<object> {
  const query = { ...(cancel === true && { cancel: 'true' }), reason, by }
  await http.ask({ ...options, method: 'DELETE', path, query })
  return {}
}
