/** What was said in a space, the calls that are shown there, and what agents are writing at the moment. */
import { memo, useCallback, useState, type ReactNode } from 'react'
import type { PendingHold, Resolution, ResolveAnswer, SpaceMessage, SpaceView, SpaceWriting } from '@holdpoint/client'
import { useHolds, type SpaceState } from '@holdpoint/react'
import { Ago, Button, Markdown, ShownText, useStickyList } from '@holdpoint/ui'
import { ShownCall } from './shown-call.tsx'

const GAP = 20

export function SpaceMessages({ space, self }: { readonly space: SpaceState; readonly self: string }): ReactNode {
  const { messages, writing } = space.view
  const { holds, resolve } = useHolds()
  const onResolve = useCallback(
    (hold: PendingHold, resolution: Resolution): Promise<ResolveAnswer> => resolve(hold, resolution, { by: self }),
    [resolve, self],
  )
  const count = messages.length + writing.length
  const { frame, list, away, toBottom } = useStickyList(count, (index) => keyAt(space.view, index))
  return (
    <div className="relative flex min-h-0 grow flex-col">
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div
        ref={frame}
        role="region"
        aria-label="Messages"
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto overscroll-contain px-4 py-5 outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
      >
        {space.hasEarlier && messages.length > 0 && <Earlier onAsk={space.earlier} />}
        {space.loaded && count === 0 && (
          <p className="py-16 text-center text-sm text-muted-foreground">
            Nothing was said yet. What you say below wakes every agent in this space.
          </p>
        )}
        {/* A feed of nothing is none, for who hears it read. */}
        {count > 0 && (
          <div
            role="feed"
            aria-label="Messages of the space"
            aria-busy={writing.length > 0}
            className="relative mx-auto w-full max-w-3xl"
            style={{ height: list.getTotalSize() }}
          >
            {list.getVirtualItems().map(({ index, key, start }) => {
              const message = messages[index]
              const written = writing[index - messages.length]
              return (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  className="absolute inset-x-0 top-0"
                  style={{ transform: `translateY(${start}px)`, paddingBottom: GAP }}
                >
                  {message && (
                    <Said
                      message={message}
                      mine={message.kind === 'message' && message.from.kind === 'human' && message.from.id === self}
                      answers={answered(messages, message)}
                      hold={holdOf(holds, message)}
                      onResolve={onResolve}
                    />
                  )}
                  {written && <Writing writing={written} />}
                </div>
              )
            })}
          </div>
        )}
      </div>
      {away && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button small className="pointer-events-auto shadow-sm" onClick={toBottom}>
            ↓ To the newest
          </Button>
        </div>
      )}
      <News messages={messages} self={self} />
    </div>
  )
}

function keyAt({ messages, writing }: SpaceView, index: number): string {
  const message = messages[index]
  const written = writing[index - messages.length]
  return message ? String(message.seq) : `${written?.agent ?? ''} ${written?.id ?? 'last'}`
}

function holdOf(holds: readonly PendingHold[], message: SpaceMessage): PendingHold | undefined {
  if (message.kind !== 'tool' || message.status !== 'requires_action') return undefined
  return holds.find(({ callId }) => callId === message.toolCallId)
}

/** The words that a message answers, as far as they are on this page. */
function answered(messages: readonly SpaceMessage[], message: SpaceMessage): string | undefined {
  if (message.kind !== 'message' || message.replyTo === undefined) return undefined
  const said = messages.find(({ seq }) => seq === message.replyTo)
  return said?.kind === 'message' ? said.text.slice(0, 200) : undefined
}

interface SaidProps {
  readonly message: SpaceMessage
  readonly mine: boolean
  readonly answers: string | undefined
  readonly hold: PendingHold | undefined
  readonly onResolve: (hold: PendingHold, resolution: Resolution) => Promise<ResolveAnswer>
}

const Said = memo(function Said({ message, mine, answers, hold, onResolve }: SaidProps): ReactNode {
  if (message.kind === 'tool')
    return (
      <article aria-label={`${message.agent} uses ${message.name}`} className="grid grid-cols-1 gap-1.5">
        <Who name={message.agent} at={message.at} note="uses a tool" />
        <ShownCall message={message} hold={hold} onResolve={onResolve} />
      </article>
    )
  const { from, text, at, quiet } = message
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
        <b className="font-medium text-foreground">{agent}</b> is writing
      </p>
      {name === undefined ? (
        <Markdown text={text} />
      ) : (
        <div className="flex items-center gap-2.5 rounded-md border border-border bg-card px-3 py-1.5 text-sm">
          <span
            aria-hidden
            className="size-2 shrink-0 animate-pulse rounded-full bg-muted-foreground motion-reduce:animate-none"
          />
          <code className="font-mono text-[0.92em]">{name}</code>
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

function Earlier({ onAsk }: { readonly onAsk: SpaceState['earlier'] }): ReactNode {
  const [busy, setBusy] = useState(false)
  const ask = async (): Promise<void> => {
    setBusy(true)
    await onAsk().catch(() => undefined)
    setBusy(false)
  }
  return (
    <div className="flex justify-center pb-4">
      <Button small look="quiet" disabled={busy} onClick={() => void ask()}>
        Show what was said before
      </Button>
    </div>
  )
}

/** For screen readers: what others say, and what waits; not what was there when the page came. */
function News({ messages, self }: { readonly messages: readonly SpaceMessage[]; readonly self: string }): ReactNode {
  const last = messages.at(-1)
  const [first] = useState(last?.seq)
  return (
    <div aria-live="polite" className="sr-only">
      {last && last.seq !== first && first !== undefined && newsOf(last, self)}
    </div>
  )
}

function newsOf(message: SpaceMessage, self: string): string {
  if (message.kind === 'message') return message.from.id === self ? '' : `${message.from.id}: ${message.text}`
  return message.status === 'requires_action' ? `${message.agent}: ${message.name} waits for an answer.` : ''
}
