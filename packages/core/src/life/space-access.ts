/** What an autonomous agent can do in spaces. Bound to its name and tenant: it can do nothing in the name of others. */
import type { Member } from '../log/space-event.ts'
import type { SpaceMessage } from '../space/space-view.ts'

export interface SpaceAccess {
  /** Whether it may be in this space. */
  isMember(space: string): Promise<boolean>
  /** The space that a call of it was made in, if it was made in one. */
  placeOf(callId: string): string | undefined
  /** Under the id of the call, so that it is said once however often the call is run. */
  post(space: string, text: string, callId: string, replyTo?: number): Promise<PostAnswer>
  /** The newest messages, after leaving out as many as `offset`. It has read them then. */
  messages(space: string, offset: number, limit: number): Promise<ReadAnswer>
}

export type PostAnswer =
  | { readonly ok: true; readonly seq: number; readonly quiet: boolean }
  | { readonly ok: false; readonly message: string }

export type ReadAnswer =
  | {
      readonly ok: true
      readonly name: string
      readonly members: readonly Member[]
      readonly messages: readonly SpaceMessage[]
    }
  | { readonly ok: false; readonly message: string }
