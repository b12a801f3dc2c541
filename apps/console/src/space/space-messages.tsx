/** What was said in a space, the calls that are shown there, and what agents are writing at the moment. */
import { memo, useMemo, useState, type ReactNode } from 'react'
import type { SpaceMessage, SpaceView, SpaceWriting } from '@holdpoint/client'
import type { SpaceState } from '@holdpoint/react'
import { Ago, Feed, Markdown, ShownText } from '@holdpoint/ui'
import { ShownCall } from './shown-call.tsx'

export function SpaceMessages({ space, self }: { readonly space: SpaceState; readonly self: string }): ReactNode {
  const { messages, writing } = space.view
  const kept = useMemo(() => messages.flatMap((message, index) => (isHeld(message) ? [index] : [])), [messages])
  return (
    <>
      <Feed
        label="Messages of the space"
        count={messages.length + writing.length}
        keyOf={(index) => keyAt(space.view, index)}
        kept={kept}
        busy={writing.length > 0}
        onEarlier={space.hasEarlier && messages.length > 0 ? space.earlier : undefined}
        empty={
          space.loaded && (
            <p className="py-16 text-center text-sm text-muted-foreground">
              Nothing was said yet. What you say below wakes every agent in this space.
            </p>
          )
        }
      >
        {(index) => {
          const message = messages[index]
          const written = writing[index - messages.length]
          if (!message) return written && <Writing writing={written} />
          return <Said message={message} self={self} answers={answered(messages, message)} />
        }}
      </Feed>
      {space.loaded && <News messages={messages} self={self} />}
    </>
  )
}

/** Somebody may be filling in its form. */
function isHeld(message: SpaceMessage): boolean {
  return message.kind === 'tool' && message.status === 'requires_action'
}

function keyAt({ messages, writing }: SpaceView, index: number): string {
  const message = messages[index]
  const written = writing[index - messages.length]
  return message ? String(message.seq) : `${written?.agent ?? ''} ${written?.id ?? 'last'}`
}

/** The words that a message answers, as far as they are on this page. */
function answered(messages: readonly SpaceMessage[], message: SpaceMessage): string | undefined {
  if (message.kind !== 'message' || message.replyTo === undefined) return undefined
  const said = messages.find(({ seq }) => seq === message.replyTo)
  return said?.kind === 'message' ? said.text.slice(0, 200) : undefined
}

interface SaidProps {
  readonly message: SpaceMessage
  readonly self: string
  readonly answers: string | undefined
}

const Said = memo(function Said({ message, self, answers }: SaidProps): ReactNode {
  if (message.kind === 'tool')
    return (
      <article aria-label={`${message.agent} uses ${message.name}`} className="grid grid-cols-1 gap-1.5">
        <Who name={message.agent} at={message.at} note="uses a tool" />
        <ShownCall message={message} self={self} />
      </article>
    )
  const { from, text, at, quiet } = message
  const mine = from.kind === 'human' && from.id === self
  return (
    <article
      aria-label={`${from.id} said`}
      className={`grid grid-cols-1 gap-1 ${mine ? 'justify-items-end' : 'justify-items-start'}`}
    >
      <Who name={from.id} at={at} note={quiet ? 'woke nobody' : undefined} />
      {answers !== undefined && (
        <p dir="auto" className="max-w-[85%] truncate border-s-2 border-border ps-2 text-xs text-muted-foreground">
          <ShownText text={answers} />
        </p>
      )}
      {from.kind === 'human' ? (
        <p
          dir="auto"
          className="max-w-[85%] rounded-lg bg-accent px-3.5 py-2 break-words whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {text}
        </p>
      ) : (
        <div className="w-full min-w-0">
          <Markdown text={text} />
        </div>
      )}
    </article>
  )
})

/** It becomes a message or a call in a moment. */
function Writing({ writing: { agent, name, text } }: { readonly writing: SpaceWriting }): ReactNode {
  return (
    <article aria-label={`${agent} is writing`} aria-busy className="grid grid-cols-1 gap-1">
      <p className="flex gap-2 text-xs text-muted-foreground">
        <b className="font-medium text-foreground">
          <ShownText text={agent} />
        </b>{' '}
        is writing
      </p>
      {name === undefined ? (
        <Markdown text={text} />
      ) : (
        <div className="flex items-center gap-2.5 rounded-md border border-border bg-card px-3 py-1.5 text-sm">
          <span
            aria-hidden
            className="size-2 shrink-0 animate-pulse rounded-full bg-muted-foreground motion-reduce:animate-none"
          />
          <code className="font-mono text-[0.92em]">
            <ShownText text={name} />
          </code>
          <code dir="ltr" className="min-w-0 grow truncate font-mono text-xs text-muted-foreground">
            {text.slice(-200)}
          </code>
        </div>
      )}
    </article>
  )
}

function Who({
  name,
  at,
  note,
}: {
  readonly name: string
  readonly at: number
  readonly note?: string | undefined
}): ReactNode {
  return (
    <p className="flex gap-2 text-xs text-muted-foreground">
      <b className="font-medium text-foreground">
        <ShownText text={name} />
      </b>
      {note !== undefined && <span>{note}</span>}
      <Ago at={at} />
    </p>
  )
}

/** For screen readers: what others say, and what waits; not what was there when the page came. */
function News({ messages, self }: { readonly messages: readonly SpaceMessage[]; readonly self: string }): ReactNode {
  const last = messages.at(-1)
  const [first] = useState(last?.seq)
  return (
    <div aria-live="polite" className="sr-only">
      {last && last.seq !== first && newsOf(last, self)}
    </div>
  )
}

function newsOf(message: SpaceMessage, self: string): string {
  if (message.kind === 'message') return message.from.id === self ? '' : `${message.from.id}: ${message.text}`
  return message.status === 'requires_action' ? `${message.agent}: ${message.name} waits for an answer.` : ''
}
