import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import type { Json, LogEvent } from '@holdpoint/client'
import { JsonValue, ShownText } from '@holdpoint/ui'
import { addressOf, TextLink } from '../parts.tsx'
import { callsOfLog, eventWords } from './event-words.ts'
import { ForkHere } from './fork-here.tsx'
import { exactSpan } from './ticks.ts'

export interface EventListProps {
  /** For links to the evidence of calls, and for forks. */
  readonly conversationId?: string
  readonly events: readonly LogEvent[]
  readonly window: { readonly from: number; readonly to: number | undefined }
  readonly chosen: number | undefined
  readonly onChoose: (seq: number | undefined) => void
}

/** The log: one line of text per event, and all data of the chosen event. */
export function EventList({ conversationId, events, window, chosen, onChoose }: EventListProps): ReactNode {
  const inside = events.filter(({ at, seq }) => seq === chosen || (at >= window.from && at <= (window.to ?? Infinity)))
  const calls = useMemo(() => callsOfLog(events), [events])
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (chosen !== undefined)
      list.current?.querySelector(`[data-seq="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <section aria-labelledby="log" className="grid gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 id="log" className="text-base font-semibold">
          Log
        </h2>
        <p className="text-xs text-muted-foreground">Every event, in order. Click an event to see its data.</p>
      </div>
      <ol ref={list} className="divide-y divide-border overflow-hidden rounded-lg border border-border bg-card text-sm">
        {inside.map((event) => (
          <li key={event.seq} data-seq={event.seq}>
            <button
              type="button"
              aria-expanded={event.seq === chosen}
              onClick={() => onChoose(event.seq === chosen ? undefined : event.seq)}
              className="grid w-full grid-cols-[4.5rem_1fr] items-baseline gap-x-3 px-4 py-1.5 text-start outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset aria-expanded:bg-accent sm:grid-cols-[4.5rem_1fr_auto]"
            >
              <span className="text-xs text-muted-foreground tabular-nums">+{exactSpan(event.at - window.from)}</span>
              <span className="min-w-0 truncate">
                <ShownText text={eventWords(event, calls)} />
              </span>
              <span className="text-xs text-muted-foreground tabular-nums max-sm:col-start-2">
                <code className="font-mono">{event.type}</code> {event.seq}
              </span>
            </button>
            {event.seq === chosen && (
              <div className="grid gap-3 border-t border-border bg-background px-4 py-3">
                {event.type === 'call.held' && conversationId !== undefined && (
                  <p>
                    <TextLink to={addressOf.evidence(conversationId, event.callId)}>Evidence of this call</TextLink>
                  </p>
                )}
                <JsonValue value={event as unknown as Json} />
                {conversationId !== undefined && <ForkHere id={conversationId} seq={event.seq} />}
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
