import { traceparentOf } from '@holdpoint/core/internal/log/traceparent-of'

/** The caller's trace goes on in the turn. A header that is no valid `traceparent` is ignored. */
export function traceOf({ headers }: Request): { readonly trace?: string } {
  const trace = traceparentOf(headers.get('traceparent'))
  return trace === undefined ? {} : { trace }
}
