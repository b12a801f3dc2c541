/** The assignee of a hold and the comments of the people who decide it. The model reads neither. */
import { useId, useState, type ReactNode } from 'react'
import type { HoldChanged } from '@holdpoint/client'
import { Button } from './button.tsx'
import { mayApprove, mayResolve, type CardHold, type HoldDiscussionHandlers } from './card-hold.ts'
import { errorWords } from './error-words.ts'
import { PersonName } from './person-name.tsx'
import { ShownText } from './shown-text.tsx'
import { Ago } from './time.tsx'

export interface HoldDiscussionProps {
  readonly hold: CardHold
  /** Without it, the person at the screen cannot assign the hold or comment on it. */
  readonly discussion?: HoldDiscussionHandlers | undefined
}

export function HoldDiscussion({ hold, discussion }: HoldDiscussionProps): ReactNode {
  const { assignee, comments = [] } = hold
  if (!discussion && assignee === undefined && comments.length === 0) return null
  return (
    <div className="grid gap-2 border-t border-border pt-3">
      <Assignee hold={hold} discussion={discussion} />
      {comments.length > 0 && (
        <ul aria-label="Comments" className="grid gap-1.5">
          {comments.map(({ by, text, at }) => (
            <li key={`${at} ${text}`} className="grid gap-0.5">
              <p className="text-xs text-muted-foreground">
                {by === undefined ? 'Unknown' : <PersonName id={by} />} <Ago at={at} />
              </p>
              <p dir="auto" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
                <ShownText text={text} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {discussion && <CommentField onComment={discussion.onComment} />}
    </div>
  )
}

function Assignee({ hold, discussion }: HoldDiscussionProps): ReactNode {
  const { run, busy, problem } = useChange()
  const { assignee } = hold
  const isMine = assignee !== undefined && assignee === discussion?.me
  const mayAssign = discussion !== undefined && (mayApprove(hold) || mayResolve(hold))
  if (assignee === undefined && !mayAssign) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {assignee !== undefined && (
        <p dir="auto" className="text-sm">
          {isMine ? (
            'Assigned to you.'
          ) : (
            <>
              Assigned to <PersonName id={assignee} />.
            </>
          )}
        </p>
      )}
      {mayAssign && (
        <Button small disabled={busy} onClick={() => run(() => discussion.onAssign(!isMine))}>
          {isMine ? 'Unassign me' : 'Assign to me'}
        </Button>
      )}
      <Problem text={problem} />
    </div>
  )
}

function CommentField({ onComment }: Pick<HoldDiscussionHandlers, 'onComment'>): ReactNode {
  const [text, setText] = useState('')
  const { run, busy, problem } = useChange()
  const id = useId()
  const send = (): void => {
    const comment = text.trim()
    if (comment !== '')
      run(
        () => onComment(comment),
        () => setText(''),
      )
  }
  return (
    <form
      className="grid gap-1"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label htmlFor={id} className="text-xs text-muted-foreground">
        Comment for the people who decide
      </label>
      <div className="flex items-start gap-2">
        <textarea
          id={id}
          dir="auto"
          rows={1}
          maxLength={10_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            send()
          }}
          className="min-h-8 min-w-0 grow resize-y rounded-md border border-input bg-background px-2.5 py-1 text-sm outline-none focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/40"
        />
        <Button type="submit" disabled={busy || text.trim() === ''}>
          Comment
        </Button>
      </div>
      <Problem text={problem} />
    </form>
  )
}

function Problem({ text }: { readonly text: string | undefined }): ReactNode {
  return (
    text !== undefined && (
      <p role="alert" className="text-xs text-destructive">
        <ShownText text={text} />
      </p>
    )
  )
}

/** Sends one change at a time, and keeps the reason when the server refuses it. */
function useChange(): {
  readonly busy: boolean
  readonly problem: string | undefined
  readonly run: (change: () => Promise<HoldChanged>, done?: () => void) => void
} {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const sendChange = async (change: () => Promise<HoldChanged>, done?: () => void): Promise<void> => {
    setBusy(true)
    const why = await change().then((changed) => (changed.ok ? undefined : changed.message), errorWords)
    setBusy(false)
    setProblem(why)
    if (why === undefined) done?.()
  }
  return { busy, problem, run: (change, done) => void sendChange(change, done) }
}
