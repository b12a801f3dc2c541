/** What can be given with each thing that is said to a session. */
import type { UserPart } from '../log/message.ts'
import type { Store } from '../log/store.ts'
import type { Scope } from '../tool/context.ts'
import type { StandardSchema } from '../tool/schema.ts'
import type { WhileBusy } from '../turn/decide.ts'
import type { Watch } from './live-stream.ts'
import type { OutputRequest } from './output.ts'

export interface SendOptions {
  readonly scope?: Scope
  readonly requestId?: string
  readonly signal?: AbortSignal
  /** Who says it. */
  readonly by?: string
  /** Yours, unique in the conversation: a message that is sent again under the same key is taken once. */
  readonly key?: string
  readonly whileBusy?: WhileBusy
  readonly maxSteps?: number
  readonly output?: StandardSchema | OutputRequest
  readonly structuredFinalize?: boolean
  /** Shown every frame and event of this work, as it happens. */
  readonly watch?: Watch
}

export interface ResolveOptions {
  /** Which of the call's holds is meant (`nth`): needed to agree again to a call that was held anew. */
  readonly hold?: number
  /** Who answers. */
  readonly by?: string
  /** For plugins that make tools by scope: the tool must be there for its answer to be checked. */
  readonly scope?: Scope
}

export type Content = string | readonly UserPart[]

/** Saved data, as `JSON.parse` gives it back; or a store, with the id of a conversation in it. */
export type OpenFrom =
  | { readonly data?: unknown; readonly store?: never; readonly id?: string }
  | { readonly data?: never; readonly store: Store; readonly id: string }
