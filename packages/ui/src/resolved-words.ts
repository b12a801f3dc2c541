import type { ViewCall } from '@holdpoint/client'
import { whoWords } from './who-words.ts'

/** One answer to a hold, in words. */
export function resolvedWords({ resolution, by: author = 'A user' }: ViewCall['resolved'][number]): string {
  const by = whoWords(author)
  switch (resolution.kind) {
    case 'approve':
      return resolution.input === undefined ? `${by} approved it` : `${by} approved it with changes`
    case 'reject':
      return resolution.reason === undefined ? `${by} rejected it` : `${by} rejected it: “${resolution.reason}”`
    case 'answer':
      return 'error' in resolution ? `${by} reported an error: ${resolution.error}` : `${by} answered`
  }
}
