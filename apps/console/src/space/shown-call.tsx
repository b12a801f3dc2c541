/** A call that is shown in a space: by the map of components, with its card where it waits for somebody. */
import type { ReactNode } from 'react'
import type { PendingHold, Resolution, ResolveAnswer, ToolMessage, ViewCall } from '@holdpoint/client'
import { ElicitationForm, ToolCall } from '@holdpoint/ui'
import { useAsker } from '../asker.ts'
import { addressOf, TextLink } from '../parts.tsx'

export function ShownCall({
  message,
  hold,
  onResolve,
}: {
  readonly message: ToolMessage
  readonly hold: PendingHold | undefined
  readonly onResolve: (hold: PendingHold, resolution: Resolution) => Promise<ResolveAnswer>
}): ReactNode {
  const { agent, name, status, toolCallId } = message
  const askedBy = useAsker(`agent:${agent}`, toolCallId)
  const origin = hold && (
    <span>
      in <TextLink to={addressOf.timeline(hold.conversationId)}>the life of {agent}</TextLink>
    </span>
  )
  return (
    <div data-tool={name} data-status={status} className="grid grid-cols-1 gap-1">
      {hold?.kind === 'client' ? (
        // Whoever looks at the space may answer, and a person does that with a form.
        <ElicitationForm
          key={hold.nth}
          hold={hold}
          agent={agent}
          askedBy={askedBy}
          origin={origin}
          onResolve={(resolution) => onResolve(hold, resolution)}
        />
      ) : (
        <ToolCall
          call={callOf(message, hold)}
          agent={agent}
          askedBy={askedBy}
          onResolve={hold && ((_call, resolution) => onResolve(hold, resolution))}
        />
      )}
      {status === 'requires_action' && !hold && (
        <p className="text-xs text-held">It waits for somebody outside: a worker, or whoever may answer it.</p>
      )}
    </div>
  )
}

function callOf(message: ToolMessage, hold: PendingHold | undefined): ViewCall {
  const { toolCallId: callId, name, input, at, status, output = null, error, endedAt = at } = message
  const facts = { callId, name, input, proposed: input, attempt: 1, startedAt: at, holds: 0, resolved: [] }
  switch (status) {
    case 'running':
      return { ...facts, state: 'running' }
    case 'requires_action':
      return hold ? { ...facts, state: 'held', hold } : { ...facts, state: 'running' }
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
