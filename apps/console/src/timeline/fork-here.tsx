/** Forks the conversation at an event of the log, and opens the fork. */
import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useClient } from '@holdpoint/react'
import { Button, errorWords, ShownText } from '@holdpoint/ui'
import { usePeople } from '../conversation-people.tsx'
import { addressOf, INPUT } from '../parts.tsx'
import { useBy } from '../preferences.ts'

/** Only for callers who may write in the conversation. The log of an autonomous agent has no forks. */
export function ForkHere({ id, seq }: { readonly id: string; readonly seq: number }): ReactNode {
  const client = useClient()
  const by = useBy()
  const [, go] = useLocation()
  const { value: people } = usePeople(id)
  const [held, setHeld] = useState<'settled' | 'held'>('settled')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (!people?.may.write || id.startsWith('agent:')) return null
  const fork = async (): Promise<void> => {
    setBusy(true)
    const answer = await client.conversations
      .fork(id, { at: seq, held, ...(by !== undefined && { by }) })
      .catch((error: unknown) => ({
        ok: false as const,
        message: error instanceof Error ? errorWords(error) : String(error),
      }))
    setBusy(false)
    if (answer.ok) go(addressOf.conversation(answer.id))
    else setProblem(answer.message)
  }
  return (
    <div className="grid gap-2 border-t border-border pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button small disabled={busy} onClick={() => void fork()}>
          Fork here
        </Button>
        <select
          aria-label="Calls that wait at this event"
          className={`${INPUT} max-w-full`}
          value={held}
          onChange={(event) => setHeld(event.target.value === 'held' ? 'held' : 'settled')}
        >
          <option value="settled">Calls that wait here get a result</option>
          <option value="held">Calls that wait here wait in the fork too</option>
        </select>
      </div>
      <p className="text-xs text-muted-foreground">
        A copy of the conversation up to event {seq}. Results stay as they are, and nothing runs again until you
        continue it.
      </p>
      {problem !== undefined && (
        <p role="alert" className="text-destructive">
          <ShownText text={problem} />
        </p>
      )}
    </div>
  )
}
