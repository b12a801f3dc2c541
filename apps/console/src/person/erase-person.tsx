/** Erases a person after a confirmation that says, with names, what is deleted and what stays. */
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import type { PersonErased } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { Button, ShownText } from '@holdpoint/ui'
import { readPerson, type PersonSummary } from './read-person.ts'
import { ErrorNotice, INPUT } from '../parts.tsx'

export function ErasePerson({
  id,
  onErased,
  onClose,
}: {
  readonly id: string
  readonly onErased: (done: PersonErased) => void
  readonly onClose: () => void
}): ReactNode {
  const client = useClient()
  const title = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [summary, setSummary] = useState<PersonSummary>()
  const [fields, setFields] = useState<Fields>({ to: '', reason: '', repeated: '' })
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const failed = (error: unknown): void => setProblem(error instanceof Error ? error : new Error(String(error)))
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    const stop = new AbortController()
    void readPerson(client, id, stop.signal).then(setSummary, (error: unknown) => {
      if (!stop.signal.aborted) failed(error)
    })
    return () => stop.abort()
  }, [client, id])
  const [to, reason] = [fields.to.trim(), fields.reason.trim()]
  const erase = async (): Promise<void> => {
    setBusy(true)
    try {
      onErased(await client.people.erase(id, { ...(to !== '' && { to }), ...(reason !== '' && { reason }) }))
      onClose()
    } catch (error) {
      failed(error)
      setBusy(false)
    }
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onClose={onClose}
      className="m-auto w-full max-w-lg rounded-lg border border-border bg-card p-5 text-sm text-foreground backdrop:bg-black/50"
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void erase()
        }}
      >
        <h2 id={title} className="text-base font-semibold [overflow-wrap:anywhere]">
          Erase what is stored about <ShownText text={id} />?
        </h2>
        {summary ? <WhatHappens summary={summary} to={to} /> : !problem && <p>Reading every conversation and space…</p>}
        <FieldsOf id={id} fields={fields} onChange={setFields} />
        {problem && <ErrorNotice error={problem} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="destructive" disabled={busy || !summary || fields.repeated.trim() !== id}>
            {busy ? 'Erasing…' : 'Erase for good'}
          </Button>
          <Button look="quiet" onClick={onClose}>
            Keep everything
          </Button>
        </div>
      </form>
    </dialog>
  )
}

interface Fields {
  readonly to: string
  readonly reason: string
  /** The id of the person, typed again. */
  readonly repeated: string
}

function FieldsOf({
  id,
  fields,
  onChange,
}: {
  readonly id: string
  readonly fields: Fields
  readonly onChange: (fields: Fields) => void
}): ReactNode {
  const labels: Readonly<Record<keyof Fields, ReactNode>> = {
    to: 'New owner of their conversations and spaces, optional: the id of a person',
    reason: 'Reason, optional. It stays in the records of the erased conversations.',
    repeated: (
      <>
        Type <b className="font-medium text-foreground">{id}</b> to confirm
      </>
    ),
  }
  return (['to', 'reason', 'repeated'] as const).map((name) => (
    <label key={name} className="grid gap-1">
      <span className="text-xs text-muted-foreground">{labels[name]}</span>
      <input
        className={INPUT}
        autoComplete="off"
        maxLength={1000}
        value={fields[name]}
        onChange={(event) => onChange({ ...fields, [name]: event.target.value })}
      />
    </label>
  ))
}

function WhatHappens({ summary, to }: { readonly summary: PersonSummary; readonly to: string }): ReactNode {
  const { owns, takesPartIn, elsewhere, sessions, delegations, keys } = summary
  const others = [...takesPartIn, ...elsewhere]
  const ending = [...some(sessions, 'session'), ...some(delegations, 'delegation')].join(' and ')
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">What goes</h3>
      <ul className="list-disc ps-5">
        {to === '' ? (
          <li>
            <Logs ids={owns} what="conversation" /> that they own, with all messages, calls and results. A turn in
            progress is cancelled, and later answers are refused.
          </li>
        ) : (
          <li>
            Their ownership: <ShownText text={to} /> owns <Logs ids={owns} what="conversation" />, with everything in
            them.
          </li>
        )}
        <li>Their part in conversations and spaces of others: they leave them.</li>
        {ending !== '' && <li>{ending}, which end now.</li>}
        <li>Their name, groups, and channels with addresses and preferences.</li>
      </ul>
      <h3 className="font-medium">What stays</h3>
      <ul className="list-disc ps-5 text-muted-foreground">
        {others.length > 0 && (
          <li>
            What they wrote and decided in <Logs ids={others} what="conversation or space" /> of others.
          </li>
        )}
        {keys.length > 0 && <li>Keys that may act for them: {keys.join(', ')}. Revoke these yourself.</li>}
        {to === '' && <li>A record of each erased conversation: that it was erased, when and by whom.</li>}
        <li>What tools did elsewhere. If this person can sign in again, they come back: close their account first.</li>
      </ul>
    </div>
  )
}

const MOST_NAMED = 5

/** `2 conversations (a, b)`. */
function Logs({ ids, what }: { readonly ids: readonly string[]; readonly what: string }): ReactNode {
  const named = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ', …' : '')
  return (
    <>
      {counted(ids.length, what)}
      {ids.length > 0 && (
        <span className="[overflow-wrap:anywhere]">
          {' ('}
          <ShownText text={named} />
          {')'}
        </span>
      )}
    </>
  )
}

function some(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [counted(count, what)]
}

function counted(count: number, what: string): string {
  const plural = what.split(' or ').map((each) => `${each}s`)
  return count === 1 ? `1 ${what}` : `${count === 0 ? 'no' : count} ${plural.join(' and ')}`
}
