import type { ReactNode } from 'react'
import type { PendingHold } from '@holdpoint/client'
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
  holds,
  onChange,
}: {
  readonly wanted: Wanted
  readonly holds: readonly PendingHold[]
  readonly onChange: (wanted: Wanted) => void
}): ReactNode {
  const agents = [...new Set(holds.map(({ agent }) => agent))].toSorted()
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
