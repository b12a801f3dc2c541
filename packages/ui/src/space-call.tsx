/**
 * A call that is shown in a space: by the map of components, with its card where it waits. Each member may answer what asks
 * the people there. What waits for an approval is answered by a credential that may see the hold itself.
 */
import { useCallback, type ReactNode } from 'react'
import type {
  PendingHold,
  Resolution,
  ResolveAnswer,
  SpaceView,
  ToolMessage,
  ViewCall,
  ViewHold,
} from '@holdpoint/client'
import { useClient, usePageTools, useSpace, useWatched } from '@holdpoint/react'
import { ToolCall } from './tool-call.tsx'

export interface SpaceCallProps {
  readonly message: ToolMessage
  readonly spaceId: string
  /** The person who looks: answers are given in their name. With a person's own token it may be left out. */
  readonly by?: string | undefined
  /** What else is to be said about where a call that waits comes from. */
  readonly originOf?: ((message: ToolMessage) => ReactNode) | undefined
}

export function SpaceCall({ message, spaceId, by, originOf }: SpaceCallProps): ReactNode {
  const { agent, name, status } = message
  const { pending, known } = usePending(message)
  const isRunHere = Object.hasOwn(usePageTools(), name)
  const hold = known ? forPerson(pending ?? holdOf(message), isRunHere) : undefined
  const onResolve = useResolution(spaceId, agent, by)
  return (
    <div data-tool={name} data-status={status} className="grid grid-cols-1 gap-1">
      <ToolCall
        call={callOf(message, hold)}
        agent={agent}
        origin={hold && originOf?.(message)}
        onResolve={hold && onResolve}
      />
      {known && !hold && message.hold && <p className="text-xs text-held">{WAITS[message.hold.kind]}</p>}
    </div>
  )
}

const WAITS: Readonly<Record<PendingHold['kind'], string>> = {
  approval: 'It waits for a person who may approve it.',
  elicitation: 'It waits for an answer.',
  client: 'It waits for a page that can carry it out.',
  external: 'It waits for a worker.',
}

/** The hold itself, for a credential that may see it. */
function usePending({ agent, toolCallId, status }: ToolMessage): {
  readonly pending: PendingHold | undefined
  readonly known: boolean
} {
  const waits = status === 'requires_action'
  const key = waits ? `hold of ${agent} ${toolCallId}` : 'no hold'
  const { value, loading } = useWatched(key, async (client, signal) => {
    const query = { conversationId: lifeOf(agent), callId: toolCallId, limit: 1 }
    return waits ? client.holds.list(query, { signal }) : { items: [] }
  })
  return { pending: value?.items[0], known: !loading }
}

/** Members answer in the space. Approvals, rejections and answers of others need the right to resolve holds. */
function useResolution(
  spaceId: string,
  agent: string,
  by: string | undefined,
): (call: ViewCall, resolution: Resolution) => Promise<ResolveAnswer> {
  const client = useClient()
  const maySpeak = useSpace(spaceId, ({ view }) => by === undefined || speaks(view, by))
  return useCallback(
    async ({ callId, hold }, resolution) => {
      const which = hold ? { hold: hold.nth } : {}
      if (!maySpeak || resolution.kind !== 'answer') {
        const options = { ...which, ...(by !== undefined && { by }) }
        return client.holds.resolve(lifeOf(agent), callId, resolution, options)
      }
      const options = { ...which, ...(by !== undefined && { from: { kind: 'human' as const, id: by } }) }
      return 'error' in resolution
        ? client.spaces.fail(spaceId, callId, resolution.error, options)
        : client.spaces.answer(spaceId, callId, resolution.value, options)
    },
    [client, spaceId, agent, maySpeak, by],
  )
}

function speaks({ members }: SpaceView, name: string): boolean {
  return members.some(({ member: { kind, id }, role }) => kind === 'human' && id === name && role !== 'reader')
}

function lifeOf(agent: string): string {
  return `agent:${agent}`
}

/** What the members of the space may answer, as the space's own log has it. */
function holdOf({ toolCallId: callId, name, input, at, hold }: ToolMessage): ViewHold | undefined {
  if (hold?.expiresAt === undefined) return undefined
  const { kind, nth, expiresAt, reason, answerSchema, url } = hold
  return {
    kind,
    nth,
    callId,
    name,
    input,
    proposed: input,
    cause: 'tool',
    accepts: ['answer'],
    inputHash: '',
    fingerprint: '',
    approvers: 1,
    endorsedBy: [],
    heldAt: at,
    expiresAt,
    timeoutMs: expiresAt - at,
    onExpire: 'error',
    late: 'reject',
    ...(reason !== undefined && { reason }),
    ...(answerSchema && { answerSchema }),
    ...(url !== undefined && { url }),
  }
}

/** A call that this page does not carry out by itself is answered by the person who looks, with a form. */
function forPerson(hold: ViewHold | undefined, isRunHere: boolean): ViewHold | undefined {
  return hold?.kind === 'client' && !isRunHere ? { ...hold, kind: 'elicitation' } : hold
}

function callOf(message: ToolMessage, hold: ViewHold | undefined): ViewCall {
  const { toolCallId: callId, name, input, at, status, streaming, output = null, error, endedAt = at } = message
  const facts = { callId, name, input, proposed: input, attempt: 1, startedAt: at, holds: 0, resolved: [] }
  const shown = streaming ? { ...facts, streaming } : facts
  switch (status) {
    case 'running':
      return { ...shown, state: 'running' }
    case 'requires_action':
      return hold ? { ...shown, state: 'held', hold } : { ...shown, state: 'ready' }
    case 'complete':
      return { ...shown, state: 'settled', outcome: { ok: true, value: output }, settledAt: endedAt }
    case 'error': {
      const failure: NonNullable<ToolMessage['error']> = error ?? { code: 'failed', message: 'It failed.' }
      return { ...shown, state: 'settled', outcome: { ok: false, error: failure }, settledAt: endedAt }
    }
  }
}
