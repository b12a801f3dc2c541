/** Replays a turn with another agent or other instructions, and shows both side by side. No tool runs. */
import { useState, type ReactNode } from 'react'
import type { ReplayedTurn } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, errorWords, ShownText } from '@holdpoint/ui'
import { usePeople } from '../conversation-people.tsx'
import { INPUT } from '../parts.tsx'
import { Comparison } from './comparison.tsx'

/** Only for callers who may write in the conversation: a replay calls the model. */
export function ReplayTurn({
  id,
  turnId,
  agent,
}: {
  readonly id: string
  readonly turnId: string
  readonly agent: string
}): ReactNode {
  const client = useClient()
  const { value: people } = usePeople(id)
  const { value: agents } = useWatched('agents', (from, signal) => from.agents.list({ limit: 200 }, { signal }))
  const [chosen, setChosen] = useState(agent)
  const [instructions, setInstructions] = useState('')
  const [busy, setBusy] = useState(false)
  const [shown, setShown] = useState<ReplayedTurn>()
  const [problem, setProblem] = useState<string>()
  if (!people?.may.write || id.startsWith('agent:')) return null
  const replay = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    const given = instructions.trim() === '' ? {} : { instructions }
    try {
      setShown(await client.conversations.replay(id, { turn: turnId, agent: chosen, ...given }))
    } catch (error) {
      setProblem(error instanceof Error ? errorWords(error) : String(error))
    }
    setBusy(false)
  }
  return (
    <section aria-labelledby="replay" className="grid gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 id="replay" className="text-base font-semibold">
          Replay
        </h2>
        <p className="text-xs text-muted-foreground">
          What another agent would do with this turn. No tool runs: calls get the recorded results.
        </p>
      </div>
      <form
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          void replay()
        }}
      >
        <select
          aria-label="Agent that answers"
          className={`${INPUT} max-w-full`}
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          {[...new Set([agent, ...(agents?.items ?? []).map(({ name }) => name)])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          aria-label="Other instructions"
          placeholder="Other instructions (optional)"
          className={`${INPUT} min-w-0 grow`}
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
        />
        <Button small type="submit" disabled={busy}>
          {busy ? 'Replaying…' : 'Replay this turn'}
        </Button>
      </form>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-destructive">
          <ShownText text={problem} />
        </p>
      )}
      {shown && <Comparison turn={shown} />}
    </section>
  )
}
