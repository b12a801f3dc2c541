/** The timeline of a conversation: lanes on a time scale, every event, and the prompts. */
import { useMemo, useState, type ReactNode } from 'react'
import type { LogEvent } from '@holdpoint/client'
import { Button } from '@holdpoint/ui'
import { ConversationHeader } from '../conversation-header.tsx'
import { Empty, INPUT, ErrorNotice } from '../parts.tsx'
import { EventList } from './event-list.tsx'
import { LaneChart, Legend } from './lane-chart.tsx'
import { timelineOf, type Timeline } from './lanes.ts'
import { Prompts } from './prompts.tsx'
import { ReplayTurn } from './replay-turn.tsx'
import { useEvents } from './use-events.ts'

export function TimelineScreen({ id }: { readonly id: string }): ReactNode {
  const { events, error } = useEvents(id)
  const timeline = useMemo(() => timelineOf(events), [events])
  return (
    <div className="flex h-full flex-col">
      <ConversationHeader id={id} here="timeline" />
      <div className="min-h-0 grow overflow-y-auto px-4 py-5 sm:px-6">
        <div className="mx-auto grid max-w-6xl gap-5">
          {error && <ErrorNotice error={error} />}
          {timeline ? (
            <TimelineOfTurn id={id} events={events} timeline={timeline} />
          ) : (
            <Empty title="No events yet">Send a message in the chat.</Empty>
          )}
        </div>
      </div>
    </div>
  )
}

function TimelineOfTurn({
  id,
  events,
  timeline,
}: {
  readonly id: string
  readonly events: readonly LogEvent[]
  readonly timeline: Timeline
}): ReactNode {
  const newest = timeline.turns.at(-1)
  const [turnId, setTurnId] = useState<string>()
  const [zoom, setZoom] = useState(1)
  const [chosen, setChosen] = useState<number>()
  // The newest turn, or the one that the user chose. `all` is from the first event to the last.
  const turn = turnId === 'all' ? undefined : (timeline.turns.find((each) => each.turnId === turnId) ?? newest)
  const window = turn
    ? { from: turn.from, to: turn.to }
    : { from: timeline.from, to: timeline.open ? undefined : timeline.to }
  const lanes = timeline.lanes.filter(({ bars, marks }) => {
    const inside = (at: number): boolean => at >= window.from && at <= (window.to ?? Infinity)
    return (
      marks.some(({ at }) => inside(at)) ||
      bars.some((bar) => bar.from <= (window.to ?? Infinity) && (bar.to ?? Infinity) >= window.from)
    )
  })
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label="Turn"
          className={`${INPUT} max-w-full sm:max-w-md`}
          value={turnId ?? turn?.turnId ?? 'all'}
          onChange={(event) => setTurnId(event.target.value)}
        >
          <option value="all">The whole conversation</option>
          {timeline.turns.map((each, index) => (
            <option key={each.turnId} value={each.turnId}>
              {`Turn ${index + 1}${each.words === '' ? '' : `: ${short(each.words)}`}`}
            </option>
          ))}
        </select>
        <Button small aria-label="Zoom in" disabled={zoom >= 64} onClick={() => setZoom(zoom * 2)}>
          +
        </Button>
        <Button small aria-label="Zoom out" disabled={zoom <= 1} onClick={() => setZoom(zoom / 2)}>
          −
        </Button>
        {zoom > 1 && <span className="text-xs text-muted-foreground">zoom {zoom}×</span>}
      </div>
      <div className="grid gap-2">
        <LaneChart timeline={timeline} lanes={lanes} window={window} zoom={zoom} chosen={chosen} onChoose={setChosen} />
        <Legend />
      </div>
      <EventList conversationId={id} events={events} window={window} chosen={chosen} onChoose={setChosen} />
      {turn && <Prompts id={id} turnId={turn.turnId} seq={events.at(-1)?.seq ?? 0} />}
      {turn && <ReplayTurn key={turn.turnId} id={id} turnId={turn.turnId} agent={agentOf(events, turn.turnId)} />}
    </>
  )
}

function agentOf(events: readonly LogEvent[], turnId: string): string {
  const started = events.find((event) => event.type === 'turn.started' && event.turnId === turnId)
  return started?.type === 'turn.started' ? started.agent : ''
}

function short(words: string): string {
  return words.length > 60 ? `${words.slice(0, 59).trimEnd()}…` : words
}
