/** A call that is shown in a space: by the map of components, with its card where it waits for somebody. */
import { useCallback, type ReactNode } from 'react'
import type { PendingHold, Resolution, ToolMessage, ViewCall } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { ToolCall } from '@holdpoint/ui'
import { useAsker } from '../asker.ts'
import { pageTools } from '../page-tools.ts'
import { addressOf, TextLink } from '../parts.tsx'

export function ShownCall({ message, self }: { readonly message: ToolMessage; readonly self: string }): ReactNode {
  const { agent, name, status, toolCallId } = message
  const client = useClient()
  const life = `agent:${agent}`
  const askedBy = useAsker(life, toolCallId)
  const { hold, known } = useHoldOf(message)
  const onResolve = useCallback(
    (call: ViewCall, resolution: Resolution) =>
      client.holds.resolve(life, call.callId, resolution, { by: self, ...(call.hold && { hold: call.hold.nth }) }),
    [client, life, self],
  )
  return (
    <div data-tool={name} data-status={status} className="grid grid-cols-1 gap-1">
      <ToolCall
        call={callOf(message, hold)}
        agent={agent}
        askedBy={askedBy}
        origin={
          hold && (
            <span>
              in <TextLink to={addressOf.timeline(life)}>the life of {agent}</TextLink>
            </span>
          )
        }
        onResolve={hold && onResolve}
      />
      {known && !hold && message.hold && <p className="text-xs text-held">{WAITS[message.hold.kind]}</p>}
    </div>
  )
}

const WAITS: Readonly<Record<PendingHold['kind'], string>> = {
  approval: 'It waits for somebody who may approve it.',
  elicitation: 'It waits for an answer.',
  client: 'It waits for a page that can carry it out.',
  external: 'It waits for a worker.',
}

/** What it waits for, for whoever may see that. */
function useHoldOf({ agent, toolCallId, status }: ToolMessage): {
  readonly hold: PendingHold | undefined
  readonly known: boolean
} {
  const waits = status === 'requires_action'
  const key = waits ? `hold of ${agent} ${toolCallId}` : 'no hold'
  const { value, loading } = useWatched(key, async (client, signal) => {
    const query = { conversationId: `agent:${agent}`, callId: toolCallId, limit: 1 }
    return waits ? client.holds.list(query, { signal }) : { items: [] }
  })
  const hold = value?.items[0]
  // Where this page does not carry it out by itself, whoever looks at the space may answer, and a person does that with a form.
  const asked = hold?.kind === 'client' && !Object.hasOwn(pageTools, hold.name)
  return { hold: asked ? { ...hold, kind: 'elicitation' } : hold, known: !loading }
}

function callOf(message: ToolMessage, hold: PendingHold | undefined): ViewCall {
  const { toolCallId: callId, name, input, at, status, output = null, error, endedAt = at } = message
  const facts = { callId, name, input, proposed: input, attempt: 1, startedAt: at, holds: 0, resolved: [] }
  switch (status) {
    case 'running':
      return { ...facts, state: 'running' }
    case 'requires_action':
      return hold ? { ...facts, state: 'held', hold } : { ...facts, state: 'ready' }
    case 'complete':
      return { ...facts, state: 'settled', outcome: { ok: true, value: output }, settledAt: endedAt }
    case 'error': {
      const failure: NonNullable<ToolMessage['error']> = error ?? {
        code: 'failed',
        message: 'It failed, and nobody said why.',
      }
      return { ...facts, state: 'settled', outcome: { ok: false, error: failure }, settledAt: endedAt }
    }
  }
}
