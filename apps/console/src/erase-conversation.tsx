/** Erases a conversation, after a confirmation that says what is deleted. Also shows that a conversation was erased. */
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { useClient, useConversation } from '@holdpoint/react'
import type { View } from '@holdpoint/client'
import { Button, errorWords, PersonName, ShownText } from '@holdpoint/ui'
import { usePeople } from './conversation-people.tsx'
import { Empty, INPUT } from './parts.tsx'
import { useBy } from './preferences.ts'

/** Only for callers who may erase it: admins, and people who own it. */
export function EraseConversation({ id }: { readonly id: string }): ReactNode {
  const [open, setOpen] = useState(false)
  const { value: people } = usePeople(id)
  if (!people?.may.erase || id.startsWith('agent:')) return null
  return (
    <>
      <Button small look="quiet" onClick={() => setOpen(true)}>
        Erase…
      </Button>
      {open && <Confirmation id={id} onClose={() => setOpen(false)} />}
    </>
  )
}

function Confirmation({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const client = useClient()
  const by = useBy()
  const title = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const open = useConversation(id, (state) => state.status !== 'idle' || state.holds.length > 0)
  useEffect(() => dialog.current?.showModal(), [])
  const erase = async (): Promise<void> => {
    setBusy(true)
    const options = {
      ...(open && { cancel: true }),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
      ...(by !== undefined && { by }),
    }
    const answer = await client.conversations.erase(id, options).catch((error: unknown) => ({
      ok: false as const,
      message: error instanceof Error ? errorWords(error) : String(error),
    }))
    setBusy(false)
    if (answer.ok) onClose()
    else setProblem(answer.message)
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onClose={onClose}
      className="m-auto w-full max-w-md rounded-lg border border-border bg-card p-5 text-sm text-foreground backdrop:bg-black/50"
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void erase()
        }}
      >
        <h2 id={title} className="text-base font-semibold">
          Erase this conversation?
        </h2>
        <WhatIsDeleted open={open} />
        <label className="grid gap-1">
          <span className="text-xs text-muted-foreground">Reason, optional. It stays in that record.</span>
          <input
            className={INPUT}
            maxLength={1000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        {problem !== undefined && (
          <p role="alert" className="text-destructive">
            {problem}
          </p>
        )}
        <div className="flex gap-2">
          <Button type="submit" look="destructive" disabled={busy}>
            Erase conversation
          </Button>
          <Button look="quiet" onClick={onClose}>
            Keep it
          </Button>
        </div>
      </form>
    </dialog>
  )
}

function WhatIsDeleted({ open }: { readonly open: boolean }): ReactNode {
  return (
    <>
      <p>
        Deleted for good: its messages, calls and results, approvals and comments, notes, and what the gateway stores
        about it.
      </p>
      {open && (
        <p className="text-destructive">
          A turn is in progress or a call waits. Both are cancelled, and later answers are refused.
        </p>
      )}
      <p className="text-muted-foreground">
        This does not undo what its tools did, and does not change the logs of your other systems. A record remains:
        that it was erased, when and by whom.
      </p>
    </>
  )
}

/** In place of the messages. */
export function Tombstone({ erased }: { readonly erased: NonNullable<View['erased']> }): ReactNode {
  const { at, by, reason, policy } = erased
  const time = new Date(at)
  return (
    <div className="grow px-4 py-5">
      <Empty title="This conversation was erased">
        <time dateTime={time.toISOString()}>{time.toLocaleString()}</time>
        {by !== undefined && (
          <>
            {' by '}
            <PersonName id={by} />
          </>
        )}
        {policy === 'retention' && ', because it was older than the retention period'}
        {reason !== undefined && (
          <>
            {': '}
            <ShownText text={reason} />
          </>
        )}
      </Empty>
    </div>
  )
}
