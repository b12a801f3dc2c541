/**
 * Why a request failed, as a message for the model. It contains only host names, codes and our own sentences: Node's messages contain
 * resolved addresses, and a URL or a header may contain a secret.
 */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
}

const SAYS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'could not be found',
  EAI_AGAIN: 'could not be found',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before the response was complete',
  EPIPE: 'closed the connection before the response was complete',
  ETIMEDOUT: 'could not be reached in time',
  HPE_HEADER_OVERFLOW: 'sent headers that are too large',
}

export function asRequestFailed(error: unknown, host: string): RequestFailed {
  if (error instanceof RequestFailed) return error
  const code =
    typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
      ? error.code
      : undefined
  const says = code === undefined ? undefined : SAYS[code]
  return new RequestFailed(`${host} ${says ?? `could not be reached (${code ?? 'unknown error'})`}.`, { cause: error })
}
