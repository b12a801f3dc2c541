import type { ViewCall } from '@holdpoint/client'
import { whoWords } from './who-words.ts'

/** What somebody said to a call that waited. */
export function resolvedWords({ resolution, by: whose = 'somebody' }: ViewCall['resolved'][number]): string {
  const by = whoWords(whose)
  switch (resolution.kind) {
    case 'approve':
      return resolution.input === undefined ? `${by} approved it` : `${by} approved it with changes`
    case 'reject':
      return resolution.reason === undefined ? `${by} rejected it` : `${by} rejected it: “${resolution.reason}”`
    case 'answer':
      return 'error' in resolution ? `${by} could not: ${resolution.error}` : `${by} answered`
  }
}
