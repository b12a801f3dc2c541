/** Search in conversations, messages, calls and holds. The filter is in the address. */
import { useState, type ReactNode } from 'react'
import { useLocation, useSearch as useQuery } from 'wouter'
import type { FoundConversation, FoundEntry } from '@holdpoint/client'
import { Ago, Button, PersonName, ShownText } from '@holdpoint/ui'
import { addressOf, Empty, ErrorNotice, INPUT, Screen, Status, TextLink } from '../parts.tsx'
import { removeSearch, saveSearch, useSavedSearches } from '../search/saved-searches.ts'
import { addressOfSearch, askedIn, NOTHING, PLACES, STATES, STATUSES, type Asked } from '../search/search-filter.ts'
import { useSearch } from '../search/use-search.ts'
import { useMe } from '../use-me.ts'

export function SearchScreen(): ReactNode {
  const query = useQuery()
  const asked = askedIn(query)
  return (
    <Screen title="Search" note="Conversations, messages, calls and holds that you may read, newest first.">
      <SearchForm key={query} asked={asked} />
      <Saved asked={asked} />
      <Found asked={asked} />
    </Screen>
  )
}

const FIELDS = [
  ['tool', 'Tool'],
  ['agent', 'Agent'],
  ['person', 'Person'],
] as const
const DAYS = [
  ['since', 'From day'],
  ['until', 'To day'],
] as const

function SearchForm({ asked }: { readonly asked: Asked }): ReactNode {
  const [, go] = useLocation()
  const [form, setForm] = useState(asked)
  const change = (part: Partial<Asked>): void => setForm({ ...form, ...part })
  return (
    <form
      role="search"
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        go(addressOfSearch(form))
      }}
    >
      <div className="flex gap-2">
        <input
          type="search"
          aria-label="Text"
          placeholder="Text of a message, a reply or a call"
          maxLength={500}
          className={`${INPUT} min-w-0 grow`}
          value={form.text}
          onChange={(event) => change({ text: event.target.value })}
        />
        <Button look="strong" type="submit">
          Search
        </Button>
      </div>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        <Choice label="Where" value={form.in} of={PLACES} onChange={(value) => change({ in: value })} />
        <Choice label="State of a call" value={form.state} of={STATES} onChange={(state) => change({ state })} />
        <Choice label="Conversation" value={form.status} of={STATUSES} onChange={(status) => change({ status })} />
        {FIELDS.map(([name, label]) => (
          <input
            key={name}
            aria-label={label}
            placeholder={label}
            maxLength={200}
            className={`${INPUT} min-w-0`}
            value={form[name]}
            onChange={(event) => change({ [name]: event.target.value })}
          />
        ))}
        {DAYS.map(([name, label]) => (
          <label key={name} className="flex min-w-0 items-center gap-2 text-xs text-muted-foreground">
            <span className="shrink-0">{name === 'since' ? 'From' : 'To'}</span>
            <input
              type="date"
              aria-label={label}
              className={`${INPUT} min-w-0 grow text-foreground`}
              value={form[name]}
              onChange={(event) => change({ [name]: event.target.value })}
            />
          </label>
        ))}
      </div>
    </form>
  )
}

function Choice<T extends string>({
  label,
  value,
  of,
  onChange,
}: {
  readonly label: string
  readonly value: T
  readonly of: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}): ReactNode {
  return (
    <select
      aria-label={label}
      className={`${INPUT} min-w-0`}
      value={value}
      onChange={(event) => onChange(event.target.value as T)}
    >
      {of.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** The saved searches of this person, and a field to save the current one. */
function Saved({ asked }: { readonly asked: Asked }): ReactNode {
  const by = useMe() ?? ''
  const saved = useSavedSearches(by)
  const [name, setName] = useState('')
  const address = addressOfSearch(asked)
  const isNew = address !== addressOfSearch(NOTHING) && !saved.some((each) => each.address === address)
  if (saved.length === 0 && !isNew) return null
  return (
    <section aria-label="Saved searches" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
      {saved.map((each) => (
        <span key={each.name} className="inline-flex items-center gap-1 rounded-md border border-border ps-2">
          <TextLink to={each.address}>
            <ShownText text={each.name} />
          </TextLink>
          <Button small look="quiet" aria-label={`Remove ${each.name}`} onClick={() => removeSearch(by, each.name)}>
            ×
          </Button>
        </span>
      ))}
      {isNew && (
        <form
          className="flex items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() === '') return
            saveSearch(by, { name: name.trim(), address })
            setName('')
          }}
        >
          <input
            aria-label="Name of this search"
            placeholder="Name of this search"
            maxLength={60}
            className={`${INPUT} w-44`}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button small type="submit">
            Save
          </Button>
        </form>
      )}
    </section>
  )
}

function Found({ asked }: { readonly asked: Asked }): ReactNode {
  const { items, conversations, unreadable, next, busy, error, goOn } = useSearch(asked)
  const searched = `${conversations} ${conversations === 1 ? 'conversation' : 'conversations'}`
  return (
    <section aria-label="Results" className="grid gap-3">
      {error && <ErrorNotice error={error} />}
      <p role="status" className="text-xs text-muted-foreground">
        {busy ? `Searching… ${searched} so far` : `Searched ${next === undefined ? 'all ' : ''}${searched}`}
        {unreadable > 0 && `; ${unreadable} could not be read, because their logs are damaged`}.
      </p>
      {!busy && !error && items.length === 0 && (
        <Empty title={next === undefined ? 'Nothing was found' : 'Nothing was found yet'}>
          {next === undefined ? 'Try fewer words or fields.' : 'Older conversations were not searched yet.'}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="divide-y divide-border overflow-hidden rounded-lg border border-border bg-card">
          {items.map((each) => (
            <li key={each.id}>
              <Result found={each} />
            </li>
          ))}
        </ul>
      )}
      {next !== undefined && !busy && (
        <Button small className="justify-self-center" onClick={goOn}>
          Search older conversations
        </Button>
      )}
    </section>
  )
}

function Result({ found: row }: { readonly found: FoundConversation }): ReactNode {
  const { id, agent, status, updatedAt, firstMessage, found, count, cut } = row
  return (
    <article className="grid gap-1.5 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <TextLink to={addressOf.conversation(id)} className="min-w-0 truncate font-medium">
          <ShownText text={firstMessage ?? id} />
        </TextLink>
        <span className="text-xs text-muted-foreground">{agent}</span>
        <span className="ms-auto flex items-baseline gap-3 text-xs text-muted-foreground">
          <Status status={status} />
          <Ago at={updatedAt} />
        </span>
      </div>
      {found.map((entry) => (
        <Entry key={`${entry.seq} ${entry.callId ?? entry.kind}`} id={id} entry={entry} />
      ))}
      {(count > found.length || cut) && (
        <p className="text-xs text-muted-foreground">
          {count > found.length && `${count - found.length} more in this conversation. `}
          {cut && 'It is long: only its newest events were searched.'}
        </p>
      )}
    </article>
  )
}

function Entry({ id, entry }: { readonly id: string; readonly entry: FoundEntry }): ReactNode {
  const { kind, text, tool, callId, states = [], people } = entry
  const waits = callId !== undefined && states.includes('waiting')
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 ps-3 text-xs">
      <span className="text-muted-foreground">
        {tool === undefined ? kind : <code className="font-mono">{tool}</code>}
      </span>
      {states.length > 0 && <b className="font-medium">{states.join(', ')}</b>}
      <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
        <ShownText text={text} />
      </span>
      {people.map((person) => (
        <span key={person} className="text-muted-foreground">
          <PersonName id={person} />
        </span>
      ))}
      {waits && <TextLink to={addressOf.hold(id, callId)}>Open the hold</TextLink>}
    </p>
  )
}
