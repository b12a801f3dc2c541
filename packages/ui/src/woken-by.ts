import type { InboxEvent } from '@holdpoint/client'

/** Whose word it was that an agent woke for. */
export function wokenBy(event: InboxEvent): string {
  switch (event.type) {
    case 'space.message':
      return `${event.from.id} in ${event.name}`
    case 'plan.fired':
      return 'its own plan'
    case 'trigger':
      return event.by ?? event.name
  }
}
