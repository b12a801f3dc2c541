import type { ViewCall } from '@holdpoint/client'
import { endorsementWords } from './approver-words.ts'
import { NO_NAMES, type PeopleNames } from './people-names.ts'

/** One answer to a hold, in words. With several approvers, all who approved exactly the input that ran. */
export function resolvedWords(resolved: ViewCall['resolved'][number], names: PeopleNames = NO_NAMES): string {
  const { resolution, approvals = [], by: author, ...actor } = resolved
  const by = author === undefined ? 'A user' : endorsementWords({ ...actor, by: author }, names)
  switch (resolution.kind) {
    case 'approve': {
      const all = approvals.length === 0 ? by : inOneList(approvals.map((each) => endorsementWords(each, names)))
      return resolution.input === undefined ? `${all} approved it` : `${all} approved it with changes`
    }
    case 'reject':
      return resolution.reason === undefined ? `${by} rejected it` : `${by} rejected it: “${resolution.reason}”`
    case 'answer':
      return 'error' in resolution ? `${by} reported an error: ${resolution.error}` : `${by} answered`
  }
}

/** `ann, bob and cleo` */
function inOneList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
