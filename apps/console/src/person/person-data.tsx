/** Exports or erases what is stored about one person. For admins. */
import { useId, useState, type ReactNode } from 'react'
import type { PersonErased } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { Button, ShownText } from '@holdpoint/ui'
import { ErasePerson } from './erase-person.tsx'
import { readPerson } from './read-person.ts'
import { ErrorNotice, INPUT, TextLink } from '../parts.tsx'

export function PersonData(): ReactNode {
  const client = useClient()
  const field = useId()
  const [typed, setTyped] = useState('')
  const [erasing, setErasing] = useState<string>()
  const [erased, setErased] = useState<{ readonly id: string; readonly done: PersonErased }>()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const id = typed.trim()
  const save = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const { lines } = await readPerson(client, id, new AbortController().signal)
      saveFile(`${id}.jsonl`, `${lines.join('\n')}\n`)
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">What is stored about a person</h2>
      <p className="max-w-prose text-sm text-muted-foreground">
        Export it as a file, or erase it. Both read every conversation and space of this tenant.
      </p>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div className="grid gap-1">
          <label htmlFor={field} className="text-xs text-muted-foreground">
            Id of the person
          </label>
          <input
            id={field}
            className={`${INPUT} w-56`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <Button type="submit" disabled={id === '' || busy}>
          {busy ? 'Exporting…' : 'Export'}
        </Button>
        <Button look="destructive" disabled={id === '' || busy} onClick={() => setErasing(id)}>
          Erase…
        </Button>
      </form>
      {problem && <ErrorNotice error={problem} />}
      {erased && <Erased {...erased} />}
      {erasing !== undefined && (
        <ErasePerson
          id={erasing}
          onErased={(done) => {
            setErased({ id: erasing, done })
            setTyped('')
          }}
          onClose={() => setErasing(undefined)}
        />
      )}
    </section>
  )
}

const MOST_SHOWN = 20

function Erased({ id, done }: { readonly id: string; readonly done: PersonErased }): ReactNode {
  const { erased, handedOver, left, stays } = done
  const shown = stays.logs.slice(0, MOST_SHOWN)
  return (
    <div ref={show} role="status" className="grid gap-2 rounded-md border border-border px-3 py-2 text-sm">
      <p>
        <ShownText text={id} /> is erased. Conversations: {erased} erased, {handedOver} handed over, {left} left.
      </p>
      <p className="text-muted-foreground">
        {stays.events === 0
          ? 'No log of others names them.'
          : `${stays.events} events in ${stays.logs.length} logs of others still name them. Erase these too if they must go:`}
      </p>
      {shown.length > 0 && (
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {shown.map(({ id: log, events }) => (
            <li key={log} className="[overflow-wrap:anywhere]">
              <ShownText text={log} /> ({events})
            </li>
          ))}
          {stays.logs.length > shown.length && <li>and {stays.logs.length - shown.length} more</li>}
        </ul>
      )}
      {stays.keys.length > 0 && (
        <p className="text-muted-foreground">
          {stays.keys.length === 1 ? 'One key names' : `${stays.keys.length} keys name`} them and may act for them.
          Revoke it under “Keys”.
        </p>
      )}
      <p className="text-muted-foreground">
        The <TextLink to="/admin-log">audit log</TextLink> says who erased them.
      </p>
    </div>
  )
}

const show = (result: HTMLElement | null): void => result?.scrollIntoView({ block: 'nearest' })

function saveFile(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
