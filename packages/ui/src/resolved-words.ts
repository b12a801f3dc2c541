import type { ViewCall } from '@holdpoint/client'

/** What somebody said to a call that waited. */
export function resolvedWords({ resolution, by = 'somebody' }: ViewCall['resolved'][number]): string {
  switch (resolution.kind) {
    case 'approve':
      return resolution.input === undefined ? `${by} approved it` : `${by} approved it with changes`
    case 'reject':
      return resolution.reason === undefined ? `${by} rejected it` : `${by} rejected it: “${resolution.reason}”`
    case 'answer':
      return 'error' in resolution ? `${by} could not: ${resolution.error}` : `${by} answered`
  }
}
