/** What became of a request that went wrong: an ordinary failure with its own word, or something nobody thought of. */
import { HoldpointError } from '@holdpoint/core'
import { statusOf } from '@holdpoint/protocol'
import { no, type Answer } from './answer.ts'

export function failed(error: unknown): Answer & { readonly status: number } {
  if (!HoldpointError.is(error)) return no('internal', 'Something went wrong here. It was written down.')
  const { code, message } = error
  if (code === 'closed') return no(code, 'This gateway is shutting down. Ask another one, or again in a moment.', soon)
  // What is broken inside is for those who run it, not for those who use it.
  if (statusOf(code) === 503)
    return no(code, 'The store does not answer now. Ask again: what was done is recognised.', soon)
  return statusOf(code) >= 500 ? no(code, 'Something is broken here. It was written down.') : no(code, message)
}

const soon = { headers: { 'retry-after': '1' } }
