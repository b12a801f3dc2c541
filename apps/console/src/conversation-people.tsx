/** The people of a conversation: who they are, and what the user may do here. An owner changes them; a participant can leave. */
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { ChangeParticipants, Participants } from '@holdpoint/client'
import { useClient, useConversation, useWatched, type WatchedResult } from '@holdpoint/react'
import {
  Button,
  peopleNamesOf,
  PeopleNamesContext,
  asPlainText,
  ShownText,
  usePeopleNames,
  whoWords,
} from '@holdpoint/ui'
import { INPUT, ErrorNotice } from './parts.tsx'
import { useBy } from './preferences.ts'
import { useMe } from './use-me.ts'

/** No value while it is not known: before the first message, and for a user who may not read the conversation. */
export function usePeople(id: string): WatchedResult<Participants | undefined> {
  const isReadable = useConversation(id, ({ loaded, view }) => loaded && view.seq > 0 && view.erased === undefined)
  return useWatched(isReadable ? `people of ${id}` : 'no people', async (client, signal) =>
    isReadable ? client.conversations.participants(id, { signal }) : undefined,
  )
}

export function ConversationPeople({ id }: { readonly id: string }): ReactNode {
  const { value: people, refresh } = usePeople(id)
  const [isOpen, setOpen] = useState(false)
  if (!people || id.startsWith('agent:')) return null
  return (
    <>
      <Button small look="quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        People {people.participants.length > 0 && people.participants.length + (people.owner === undefined ? 0 : 1)}
      </Button>
      {isOpen && <People id={id} people={people} onChanged={refresh} onClose={() => setOpen(false)} />}
    </>
  )
}

interface Shown {
  readonly id: string
  readonly people: Participants
  readonly onChanged: () => void
  readonly onClose: () => void
}

function People({ id, people, onChanged, onClose }: Shown): ReactNode {
  const { owner, participants, may } = people
  const names = new Map([...usePeopleNames(), ...peopleNamesOf([people.names])])
  const me = useMe()
  const title = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const { change, busy, problem } = useChange(id, onChanged)
  const [, go] = useLocation()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onClose={onClose}
      className="m-auto w-full max-w-md rounded-lg border border-border bg-card p-5 text-sm text-foreground backdrop:bg-black/50"
    >
      <div className="grid gap-3">
        <h2 id={title} className="text-base font-semibold">
          People in this conversation
        </h2>
        <p className="text-muted-foreground">
          They read all of it and write in it. A person who may decide a call that waits here reads it until then.
        </p>
        <PeopleNamesContext value={names}>
          <ul aria-label="People" className="divide-y divide-border rounded-lg border border-border">
            {owner !== undefined && <Row person={owner} role="owner" isMe={owner === me} />}
            {participants.map((person) => (
              <Row key={person} person={person} role="participant" isMe={person === me}>
                {person === me && may.leave ? (
                  <Leave
                    busy={busy}
                    onLeave={() => void change({ remove: [person] }).then((ok) => ok && go('/conversations'))}
                  />
                ) : (
                  may.share && (
                    <Button
                      small
                      look="destructive"
                      aria-label={`Remove ${asPlainText(person)}`}
                      disabled={busy}
                      onClick={() => void change({ remove: [person] })}
                    >
                      Remove
                    </Button>
                  )
                )}
              </Row>
            ))}
          </ul>
        </PeopleNamesContext>
        {may.share && <Add busy={busy} onAdd={(person) => change({ add: [person] })} />}
        {problem && <ErrorNotice error={problem} />}
        <Button className="justify-self-start" onClick={onClose}>
          Close
        </Button>
      </div>
    </dialog>
  )
}

interface Listed {
  readonly person: string
  readonly role: string
  readonly isMe: boolean
  readonly children?: ReactNode
}

function Row({ person, role, isMe, children }: Listed): ReactNode {
  const names = usePeopleNames()
  return (
    <li className="flex min-h-11 items-center gap-3 px-3 py-2">
      <span className="grid min-w-0">
        <span className="truncate font-medium" title={asPlainText(person)}>
          <ShownText text={whoWords(person, names)} />
          {isMe && <span className="font-normal text-muted-foreground"> (you)</span>}
        </span>
        <span className="truncate text-xs text-muted-foreground">
          {role}
          {names.get(person) !== undefined && names.get(person) !== person && (
            <>
              {' · '}
              <ShownText text={person} />
            </>
          )}
        </span>
      </span>
      <span className="ms-auto">{children}</span>
    </li>
  )
}

/** The user cannot come back without the owner, so a second click confirms. */
function Leave({ busy, onLeave }: { readonly busy: boolean; readonly onLeave: () => void }): ReactNode {
  const [sure, setSure] = useState(false)
  return (
    <Button
      small
      look="destructive"
      disabled={busy}
      onClick={() => (sure ? onLeave() : setSure(true))}
      onBlur={() => setSure(false)}
    >
      {sure ? 'Really leave' : 'Leave'}
    </Button>
  )
}

interface Adding {
  readonly busy: boolean
  readonly onAdd: (person: string) => Promise<boolean>
}

function Add({ busy, onAdd }: Adding): ReactNode {
  const [person, setPerson] = useState('')
  const field = useId()
  return (
    <form
      className="grid gap-1"
      onSubmit={(event) => {
        event.preventDefault()
        void onAdd(person.trim()).then((ok) => ok && setPerson(''))
      }}
    >
      <label htmlFor={field} className="text-xs text-muted-foreground">
        Id of the person, as in their settings
      </label>
      <span className="flex gap-2">
        <input
          id={field}
          className={`${INPUT} min-w-0 grow`}
          autoComplete="off"
          value={person}
          onChange={(event) => setPerson(event.target.value)}
        />
        <Button type="submit" disabled={busy || person.trim() === ''}>
          Add
        </Button>
      </span>
    </form>
  )
}

interface Changing {
  readonly busy: boolean
  readonly problem: Error | undefined
  /** Whether the change was made. */
  readonly change: (wanted: ChangeParticipants) => Promise<boolean>
}

function useChange(id: string, onChanged: () => void): Changing {
  const { conversations } = useClient()
  const by = useBy()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const change = async (wanted: ChangeParticipants): Promise<boolean> => {
    setBusy(true)
    const wrong = await conversations.changeParticipants(id, { ...wanted, ...(by !== undefined && { by }) }).then(
      (told) => (told.ok ? undefined : new Error(told.message)),
      (error: Error) => error,
    )
    setBusy(false)
    setProblem(wrong)
    onChanged()
    return wrong === undefined
  }
  return { busy, problem, change }
}
