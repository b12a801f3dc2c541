/** What the people who decide say to each other about a hold: which of them is on it, and comments. The model reads none of it. */
import { useId, useState, type ReactNode } from 'react'
import type { HoldChanged } from '@holdpoint/client'
import { Button } from './button.tsx'
import { mayApprove, mayResolve, type CardHold, type HoldTalkHandlers } from './card-hold.ts'
import { ShownText } from './shown-text.tsx'
import { Ago } from './time.tsx'
import { whoWords } from './who-words.ts'

export interface HoldTalkProps {
  readonly hold: CardHold
  /** Without it, the reader can change nothing here. */
  readonly talk?: HoldTalkHandlers | undefined
}

export function HoldTalk({ hold, talk }: HoldTalkProps): ReactNode {
  const { assignee, comments = [] } = hold
  if (!talk && assignee === undefined && comments.length === 0) return null
  return (
    <div className="grid gap-2 border-t border-border pt-3">
      <Assignee hold={hold} talk={talk} />
      {comments.length > 0 && (
        <ul aria-label="Comments" className="grid gap-1.5">
          {comments.map(({ by, text, at }) => (
            <li key={`${at} ${text}`} className="grid gap-0.5">
              <p className="text-xs text-muted-foreground">
                <b className="font-medium text-foreground">
                  <ShownText text={by === undefined ? 'Unknown' : whoWords(by)} />
                </b>{' '}
                <Ago at={at} />
              </p>
              <p dir="auto" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
                <ShownText text={text} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {talk && <CommentField onComment={talk.onComment} />}
    </div>
  )
}

function Assignee({ hold, talk }: HoldTalkProps): ReactNode {
  const { run, busy, problem } = useChange()
  const { assignee } = hold
  const isMine = assignee !== undefined && assignee === talk?.me
  const mayTake = talk !== undefined && (mayApprove(hold) || mayResolve(hold))
  if (assignee === undefined && !mayTake) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {assignee !== undefined && (
        <p dir="auto" className="text-sm">
          {isMine ? (
            'You are on it.'
          ) : (
            <>
              <b className="font-medium">
                <ShownText text={whoWords(assignee)} />
              </b>{' '}
              is on it.
            </>
          )}
        </p>
      )}
      {mayTake && (
        <Button small disabled={busy} onClick={() => run(() => talk.onAssign(!isMine))}>
          {isMine ? 'Release' : assignee === undefined ? 'I am on it' : 'Take over'}
        </Button>
      )}
      <Problem text={problem} />
    </div>
  )
}

function CommentField({ onComment }: Pick<HoldTalkHandlers, 'onComment'>): ReactNode {
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

/** One change at a time, and why it was refused. */
function useChange(): {
  readonly busy: boolean
  readonly problem: string | undefined
  readonly run: (change: () => Promise<HoldChanged>, done?: () => void) => void
} {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const changeIt = async (change: () => Promise<HoldChanged>, done?: () => void): Promise<void> => {
    setBusy(true)
    const why = await change().then(
      (changed) => (changed.ok ? undefined : changed.message),
      (error: Error) => error.message,
    )
    setBusy(false)
    setProblem(why)
    if (why === undefined) done?.()
  }
  return { busy, problem, run: (change, done) => void changeIt(change, done) }
}
