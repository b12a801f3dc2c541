/**
 * Why a request came to nothing, in words for the model. Made of host names, codes and our own sentences alone: Node's
 * messages carry resolved addresses, and an URL or a header may carry a secret.
 */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
}

const SAYS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'could not be found',
  EAI_AGAIN: 'could not be found',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before it had answered in full',
  EPIPE: 'closed the connection before it had answered in full',
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
  return new RequestFailed(`${host} ${says ?? `could not be asked (${code ?? 'unknown error'})`}.`, { cause: error })
}
