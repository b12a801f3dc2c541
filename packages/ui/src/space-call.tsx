/**
 * A visible call of a space, drawn by the component of its tool, with its card while it waits. Every member who can post
 * can answer a question to the space. An approval needs a credential that can read the hold.
 */
import { useCallback, type ReactNode } from 'react'
import type {
  PendingHold,
  Resolution,
  ResolveResult,
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
  /** The name of the user, who is the author of the answers. Not needed with a person's own token. */
  readonly by?: string | undefined
  /** Where a waiting call comes from, for instance a link to its conversation. */
  readonly originOf?: ((message: ToolMessage) => ReactNode) | undefined
}

export function SpaceCall({ message, spaceId, by, originOf }: SpaceCallProps): ReactNode {
  const { agent, name, status } = message
  const { pending, known } = usePending(message, by)
  const isRunHere = Object.hasOwn(usePageTools(), name)
  const mayPost = useSpace(spaceId, ({ view }) => by === undefined || isPostingMember(view, by))
  const hold = known ? forPerson(forMember(pending, mayPost) ?? holdOf(message), isRunHere) : undefined
  const onResolve = useResolution(spaceId, agent, by, mayPost)
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
  approval: 'Waiting for a person who can approve it.',
  elicitation: 'Waiting for an answer.',
  client: 'Waiting for the user’s browser.',
  external: 'Waiting for a worker.',
}

/** The hold, if the credential may read it. */
function usePending(
  { agent, toolCallId, status }: ToolMessage,
  by: string | undefined,
): {
  readonly pending: PendingHold | undefined
  readonly known: boolean
} {
  const waits = status === 'requires_action'
  const key = waits ? `hold of ${agent} ${toolCallId} for ${by ?? ''}` : 'no hold'
  const { value, loading } = useWatched(key, async (client, signal) => {
    const query = {
      conversationId: conversationOf(agent),
      callId: toolCallId,
      limit: 1,
      ...(by !== undefined && { by }),
    }
    return waits ? client.holds.list(query, { signal }) : { items: [] }
  })
  return { pending: value?.items[0], known: !loading }
}

/** Members answer in the space. Approvals, rejections and answers of non-members need the right to resolve holds. */
function useResolution(
  spaceId: string,
  agent: string,
  by: string | undefined,
  mayPost: boolean,
): (call: ViewCall, resolution: Resolution) => Promise<ResolveResult> {
  const client = useClient()
  return useCallback(
    async ({ callId, hold }, resolution) => {
      const which = hold ? { hold: hold.nth } : {}
      if (!mayPost || resolution.kind !== 'answer') {
        const options = { ...which, ...(by !== undefined && { by }) }
        return client.holds.resolve(conversationOf(agent), callId, resolution, options)
      }
      const options = { ...which, ...(by !== undefined && { from: { kind: 'human' as const, id: by } }) }
      return 'error' in resolution
        ? client.spaces.fail(spaceId, callId, resolution.error, options)
        : client.spaces.answer(spaceId, callId, resolution.value, options)
    },
    [client, spaceId, agent, mayPost, by],
  )
}

/** A member may answer in the space, also without the right to resolve the hold. */
function forMember(pending: PendingHold | undefined, mayPost: boolean): PendingHold | undefined {
  if (!pending?.may || pending.may.resolve || !mayPost || !pending.accepts.includes('answer')) return pending
  return { ...pending, accepts: ['answer'], may: { ...pending.may, resolve: true } }
}

function isPostingMember({ members }: SpaceView, name: string): boolean {
  return members.some(({ member: { kind, id }, role }) => kind === 'human' && id === name && role !== 'reader')
}

function conversationOf(agent: string): string {
  return `agent:${agent}`
}

/** The hold as the space's log has it, for members who cannot read the hold itself. */
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

/** A client call whose tool this page does not run is answered by the user, with a form. */
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
