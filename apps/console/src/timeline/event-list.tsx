import { useEffect, useRef, type ReactNode } from 'react'
import { isSpaceEvent, type Json, type LogEvent } from '@holdpoint/client'
import { JsonValue, spanOf } from '@holdpoint/ui'

export interface EventListProps {
  readonly events: readonly LogEvent[]
  readonly window: { readonly from: number; readonly to: number | undefined }
  readonly chosen: number | undefined
  readonly onChoose: (seq: number | undefined) => void
}

/** The log itself, one line each; the chosen one in full. */
export function EventList({ events, window, chosen, onChoose }: EventListProps): ReactNode {
  const inside = events.filter(({ at, seq }) => seq === chosen || (at >= window.from && at <= (window.to ?? Infinity)))
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (chosen !== undefined)
      list.current?.querySelector(`[data-seq="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <section aria-labelledby="log" className="grid gap-2">
      <h2 id="log" className="text-base font-semibold">
        Log
      </h2>
      <ol ref={list} className="divide-y divide-border overflow-hidden rounded-lg border border-border bg-card text-sm">
        {inside.map((event) => (
          <li key={event.seq} data-seq={event.seq}>
            <button
              type="button"
              aria-expanded={event.seq === chosen}
              onClick={() => onChoose(event.seq === chosen ? undefined : event.seq)}
              className="grid w-full grid-cols-[3rem_1fr_auto] items-baseline gap-3 px-4 py-1.5 text-start outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset aria-expanded:bg-accent"
            >
              <span className="text-xs text-muted-foreground tabular-nums">{event.seq}</span>
              <span className="min-w-0 truncate">
                <code className="font-mono text-[0.92em]">{event.type}</code>{' '}
                <span className="text-xs text-muted-foreground">{aboutOf(event)}</span>
              </span>
              <span className="text-xs text-muted-foreground tabular-nums">+{spanOf(event.at - window.from)}</span>
            </button>
            {event.seq === chosen && (
              <div className="border-t border-border bg-background px-4 py-3">
                <JsonValue value={event as unknown as Json} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function aboutOf(event: LogEvent): string {
  if (isSpaceEvent(event)) return ''
  switch (event.type) {
    case 'turn.started':
      return event.items.map(itemWords).join(' · ')
    case 'model.replied':
      return event.reply.parts
        .map((part) => (part.type === 'text' ? part.text : part.type === 'call' ? part.name : part.type))
        .join(' · ')
    case 'call.held':
      return [event.hold.kind, event.hold.reason].filter((each) => each !== undefined).join(': ')
    case 'call.approved':
    case 'call.endorsed':
    case 'call.resumed':
      return event.by ?? ''
    case 'call.settled':
      return event.outcome.ok ? 'ok' : event.outcome.error.message
    case 'turn.ended':
      return event.reason
    case 'answer.arrived':
      return event.name
    case 'state.changed':
      return event.plugin
    case 'conversation.opened':
      return event.agent
    case 'call.started':
    case 'call.rewritten':
    case 'call.cleared':
    case 'message.queued':
    case 'turn.briefed':
    case 'plan.removed':
    case 'notices.told':
      return ''
    case 'plan.set':
      return event.plan.what
    case 'plan.fired':
      return event.what
  }
}

type Item = Extract<LogEvent, { readonly type: 'turn.started' }>['items'][number]

function itemWords(item: Item): string {
  switch (item.kind) {
    case 'message':
      return item.message.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')
    case 'answer':
      return item.name
    case 'event':
      return item.event.type
  }
}
