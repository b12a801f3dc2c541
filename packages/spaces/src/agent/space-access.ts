/** What an autonomous agent can do in spaces, always under its own name and in its own tenant. */
import type { Member } from '@holdpoint/core/internal/log/space-event'
import type { SpaceMessage } from '../space/space-view.ts'

export interface SpaceAccess {
  /** Whether the agent is a member of this space. */
  isMember(space: string): Promise<boolean>
  /** The space that this call of the agent was made in. */
  spaceOfCall(callId: string): string | undefined
  /** Posts a message, once per call id, however often the call runs. */
  post(space: string, message: AgentMessage): Promise<PostResult>
  /** The newest messages without the newest `offset` ones. Marks them as read by the agent. */
  messages(space: string, offset: number, limit: number): Promise<ReadResult>
}

export interface AgentMessage {
  readonly text: string
  readonly callId: string
  readonly replyTo?: number
}

export type PostResult =
  | { readonly ok: true; readonly seq: number; readonly quiet: boolean }
  | { readonly ok: false; readonly message: string }

export type ReadResult =
  | {
      readonly ok: true
      readonly name: string
      readonly members: readonly Member[]
      readonly messages: readonly SpaceMessage[]
    }
  | { readonly ok: false; readonly message: string }
