/** The filter of a search, as it is in the address: an address can be sent to another person, and kept. */
import type { CallState, SearchFilter } from '@holdpoint/client'

export interface Asked {
  readonly text: string
  readonly in: 'all' | 'messages' | 'calls' | 'holds'
  readonly tool: string
  readonly agent: string
  readonly person: string
  readonly status: '' | 'running' | 'held' | 'idle'
  readonly state: '' | CallState
  /** Days, as `2026-11-19`. */
  readonly since: string
  readonly until: string
}

export const NOTHING: Asked = {
  text: '',
  in: 'all',
  tool: '',
  agent: '',
  person: '',
  status: '',
  state: '',
  since: '',
  until: '',
}

export const PLACES: readonly (readonly [Asked['in'], string])[] = [
  ['all', 'everywhere'],
  ['messages', 'in messages'],
  ['calls', 'in calls'],
  ['holds', 'in holds'],
]
export const STATUSES: readonly (readonly [Asked['status'], string])[] = [
  ['', 'any conversation'],
  ['running', 'running now'],
  ['held', 'waiting now'],
  ['idle', 'idle now'],
]
export const STATES: readonly (readonly [Asked['state'], string])[] = [
  ['', 'any state of a call'],
  ['waiting', 'waiting'],
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  ['answered', 'answered'],
  ['expired', 'expired'],
  ['denied', 'denied by a rule'],
  ['cancelled', 'cancelled'],
  ['failed', 'failed'],
  ['done', 'done'],
]

/** What an address asks for. A value that the screen does not know is left out. */
export function askedIn(search: string): Asked {
  const params = new URLSearchParams(search)
  const textAt = (name: string): string => params.get(name) ?? ''
  const oneOf = <T extends string>(name: string, known: readonly (readonly [T, string])[]): T =>
    known.find(([value]) => value === params.get(name))?.[0] ?? known[0]![0]
  const day = (name: string): string => (/^\d{4}-\d\d-\d\d$/.test(textAt(name)) ? textAt(name) : '')
  return {
    text: textAt('text'),
    tool: textAt('tool'),
    agent: textAt('agent'),
    person: textAt('person'),
    in: oneOf('in', PLACES),
    status: oneOf('status', STATUSES),
    state: oneOf('state', STATES),
    since: day('since'),
    until: day('until'),
  }
}

export function addressOfSearch(asked: Asked): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) if (value !== '' && value !== 'all') params.set(name, value)
  return params.size === 0 ? '/search' : `/search?${params.toString()}`
}

/** Days are those of the user's time zone, and `until` is included. */
export function filterOf({ since, until, ...rest }: Asked): Omit<SearchFilter, 'participant'> {
  const given = Object.entries(rest).filter(([, value]) => value !== '' && value !== 'all')
  const start = dayStart(since)
  const end = dayStart(until)
  return {
    ...Object.fromEntries(given),
    ...(start && { since: start.getTime() }),
    ...(end && { until: new Date(end.getFullYear(), end.getMonth(), end.getDate() + 1).getTime() - 1 }),
  }
}

function dayStart(day: string): Date | undefined {
  const date = new Date(`${day}T00:00`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
