/** Replays many recorded turns with another agent or other instructions, with a report. No tool runs. */
import { useRef, useState, type ReactNode } from 'react'
import { replayReport, type ReplayedOne, type ReplayedTurn } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, ShownText } from '@holdpoint/ui'
import { addressOf, Empty, ErrorNotice, INPUT, Screen, TextLink } from '../parts.tsx'
import { Comparison } from '../timeline/comparison.tsx'

const COUNTS = [10, 50, 300] as const

interface Asked {
  readonly of: string
  readonly agent: string
  readonly instructions: string
  readonly turns: number
}

export function ReplayScreen(): ReactNode {
  const { replayed, busy, error, start, stop } = useReplays()
  return (
    <Screen
      wide
      title="Replay"
      note="What another agent, or other instructions, would do with recorded turns. No tool runs: calls get the recorded results. Model calls cost what they cost."
    >
      <ReplayForm busy={busy} onStart={start} onStop={stop} />
      {error && <ErrorNotice error={error} />}
      {replayed && <Report replayed={replayed} busy={busy} />}
    </Screen>
  )
}

function ReplayForm({
  busy,
  onStart,
  onStop,
}: {
  readonly busy: boolean
  readonly onStart: (asked: Asked) => void
  readonly onStop: () => void
}): ReactNode {
  const { value } = useWatched('agents', (from, signal) => from.agents.list({ limit: 200 }, { signal }))
  const names = (value?.items ?? []).map(({ name }) => name)
  const [asked, setAsked] = useState<Asked>({ of: '', agent: '', instructions: '', turns: COUNTS[0] })
  const change = (part: Partial<Asked>): void => setAsked({ ...asked, ...part })
  const options = names.map((name) => <option key={name}>{name}</option>)
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onStart(asked)
      }}
    >
      <select
        aria-label="Conversations of"
        className={`${INPUT} max-w-full`}
        value={asked.of}
        onChange={(event) => change({ of: event.target.value })}
      >
        <option value="">conversations of all agents</option>
        {options}
      </select>
      <select
        aria-label="Agent that answers"
        className={`${INPUT} max-w-full`}
        value={asked.agent}
        onChange={(event) => change({ agent: event.target.value })}
      >
        <option value="">answered by the recorded agent</option>
        {options}
      </select>
      <select
        aria-label="How many turns"
        className={INPUT}
        value={asked.turns}
        onChange={(event) => change({ turns: Number(event.target.value) })}
      >
        {COUNTS.map((count) => (
          <option key={count} value={count}>
            {count} newest turns
          </option>
        ))}
      </select>
      <input
        aria-label="Other instructions"
        placeholder="Other instructions (optional)"
        className={`${INPUT} min-w-40 grow`}
        value={asked.instructions}
        onChange={(event) => change({ instructions: event.target.value })}
      />
      {busy ? (
        <Button type="button" onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button look="strong" type="submit">
          Replay
        </Button>
      )}
    </form>
  )
}

function Report({ replayed, busy }: { readonly replayed: readonly ReplayedOne[]; readonly busy: boolean }): ReactNode {
  const turns = replayed.flatMap((one) => ('turn' in one ? [one.turn] : []))
  const refused = replayed.flatMap((one) => ('turn' in one ? [] : [one]))
  const [all, setAll] = useState(false)
  const report = replayReport(turns)
  const shown = all ? turns : report.different
  if (!busy && replayed.length === 0)
    return <Empty title="There is no turn to replay">Choose other conversations.</Empty>
  return (
    <section aria-label="Report" className="grid gap-3">
      <p role="status" className="text-sm font-medium">
        {busy && 'Replaying… '}
        {report.summary}
      </p>
      <Numbers report={report} turns={turns} />
      {refused.map(({ conversationId, refused: why }) => (
        <p key={conversationId} className="text-xs text-muted-foreground">
          <TextLink to={addressOf.conversation(conversationId)}>{conversationId}</TextLink> was left out:{' '}
          <ShownText text={why} />
        </p>
      ))}
      <div role="group" aria-label="Turns" className="flex gap-1.5">
        <Button small look={all ? 'plain' : 'strong'} aria-pressed={!all} onClick={() => setAll(false)}>
          other calls ({report.different.length})
        </Button>
        <Button small look={all ? 'strong' : 'plain'} aria-pressed={all} onClick={() => setAll(true)}>
          all ({turns.length})
        </Button>
      </div>
      <ul className="divide-y divide-border rounded-lg border border-border bg-card empty:hidden">
        {shown.map((turn) => (
          <li key={`${turn.conversationId} ${turn.turnId}`}>
            <Turn turn={turn} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Numbers({
  report,
  turns,
}: {
  readonly report: ReturnType<typeof replayReport>
  readonly turns: readonly ReplayedTurn[]
}): ReactNode {
  const costs = (side: 'recorded' | 'replayed'): string => {
    const known = turns.flatMap((turn) => turn[side].cost ?? [])
    if (known.length === 0) return 'no price'
    const sum = known.reduce((total, each) => total + each, 0).toFixed(4)
    return known.length === turns.length ? sum : `${sum} for ${known.length} of them`
  }
  const rows = [
    ['The same calls', `${report.sameCalls} of ${report.turns}`],
    ['The same tools', `${report.sameTools} of ${report.turns}`],
    ['The same final text', `${report.sameText} of ${report.turns}`],
    ['Ended at a call without a recorded result', String(report.noResult)],
    ['Failed', String(report.failed)],
    ['Tokens, recorded and replayed', `${report.recordedTokens} and ${report.replayedTokens}`],
    ['Cost, recorded and replayed', `${costs('recorded')} and ${costs('replayed')}`],
  ]
  return (
    <dl className="grid gap-x-6 gap-y-1 text-xs sm:grid-cols-2">
      {rows.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-3 border-b border-border py-1">
          <dt className="text-muted-foreground">{name}</dt>
          <dd className="text-end tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Turn({ turn }: { readonly turn: ReplayedTurn }): ReactNode {
  const [open, setOpen] = useState(false)
  const { conversationId, sameCalls, sameTools, sameText } = turn
  const words = sameCalls
    ? sameText
      ? 'the same calls and text'
      : 'the same calls, another text'
    : sameTools
      ? 'other arguments'
      : 'other calls'
  return (
    <div className="grid gap-2 px-4 py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-3 text-sm">
        <TextLink to={addressOf.timeline(conversationId)} className="min-w-0 truncate font-mono text-xs">
          {conversationId}
        </TextLink>
        <span className={sameCalls ? 'text-muted-foreground' : 'font-medium text-held'}>{words}</span>
        <Button small look="quiet" className="ms-auto" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide' : 'Compare'}
        </Button>
      </div>
      {open && <Comparison turn={turn} />}
    </div>
  )
}

interface Running {
  readonly replayed?: readonly ReplayedOne[]
  readonly busy: boolean
  readonly error?: Error
}

function useReplays(): Running & { readonly start: (asked: Asked) => void; readonly stop: () => void } {
  const client = useClient()
  const [state, setState] = useState<Running>({ busy: false })
  const running = useRef<AbortController>(undefined)
  const run = async ({ of, agent, instructions, turns }: Asked): Promise<void> => {
    const stop = new AbortController()
    running.current = stop
    setState({ busy: true, replayed: [] })
    try {
      const options = {
        turns,
        ...(of !== '' && { filter: { agent: of } }),
        ...(agent !== '' && { agent }),
        ...(instructions.trim() !== '' && { instructions }),
        signal: stop.signal,
      }
      for await (const one of client.replays.run(options)) {
        if (stop.signal.aborted) break
        setState(({ replayed = [] }) => ({ busy: true, replayed: [...replayed, one] }))
      }
      setState((before) => ({ ...before, busy: false }))
    } catch (error) {
      const shown = error instanceof Error ? error : new Error(String(error))
      setState((before) => ({ ...before, busy: false, ...(!stop.signal.aborted && { error: shown }) }))
    }
  }
  return { ...state, start: (asked) => void run(asked), stop: () => running.current?.abort() }
}
