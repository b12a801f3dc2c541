import { useState, type ReactNode } from 'react'
import type { HoldKind, PendingHold } from '@holdpoint/client'
import { INPUT } from './parts.tsx'

export interface Wanted {
  /** `people`: approvals and questions. */
  readonly kind: 'people' | 'all' | PendingHold['kind']
  readonly agent: string
  readonly text: string
}

export function matches(hold: PendingHold, { kind, agent, text }: Wanted): boolean {
  const isKind =
    kind === 'all' || (kind === 'people' ? hold.kind === 'approval' || hold.kind === 'elicitation' : hold.kind === kind)
  if (!isKind || (agent !== '' && hold.agent !== agent)) return false
  if (text === '') return true
  const all = [hold.name, hold.reason ?? '', hold.conversationId, JSON.stringify(hold.input)].join(' ').toLowerCase()
  return all.includes(text.toLowerCase())
}

/** Calls for people may be waiting that the filters leave out. */
export function isNarrow({ kind, agent, text }: Wanted): boolean {
  return agent !== '' || text !== '' || (kind !== 'people' && kind !== 'all')
}

/** The agents of all holds that were seen: a list that is restricted to one agent does not have the others. */
export function useAgentsOf(holds: readonly PendingHold[]): readonly string[] {
  const [known, setKnown] = useState<readonly string[]>([])
  const all = new Set([...known, ...holds.map(({ agent }) => agent)])
  if (all.size > known.length) setKnown([...all].toSorted())
  return known
}

/** The lists of the gateway that have them. `undefined`: the list of every kind. */
export function kindsOf(kind: Wanted['kind']): readonly (HoldKind | undefined)[] {
  return kind === 'people' ? ['approval', 'elicitation'] : [kind === 'all' ? undefined : kind]
}

const KINDS: readonly (readonly [Wanted['kind'], string])[] = [
  ['people', 'for people'],
  ['approval', 'approvals'],
  ['elicitation', 'questions'],
  ['client', 'for browsers'],
  ['external', 'for workers'],
  ['all', 'all'],
]

export function HoldsFilter({
  wanted,
  agents,
  onChange,
}: {
  readonly wanted: Wanted
  /** The agents to choose from. */
  readonly agents: readonly string[]
  readonly onChange: (wanted: Wanted) => void
}): ReactNode {
  return (
    <div role="search" className="flex flex-wrap items-center gap-2 lg:ms-auto">
      <select
        aria-label="Kind"
        className={INPUT}
        value={wanted.kind}
        onChange={(event) => onChange({ ...wanted, kind: event.target.value as Wanted['kind'] })}
      >
        {KINDS.map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </select>
      {agents.length > 1 && (
        <select
          aria-label="Agent"
          className={INPUT}
          value={wanted.agent}
          onChange={(event) => onChange({ ...wanted, agent: event.target.value })}
        >
          <option value="">all agents</option>
          {agents.map((agent) => (
            <option key={agent}>{agent}</option>
          ))}
        </select>
      )}
      <input
        type="search"
        aria-label="Search the waiting calls"
        placeholder="Search"
        className={`${INPUT} w-40`}
        value={wanted.text}
        onChange={(event) => onChange({ ...wanted, text: event.target.value })}
      />
    </div>
  )
}
