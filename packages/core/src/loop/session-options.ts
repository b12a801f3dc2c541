/** What can be given with each thing that is said to a session. */
import type { UserPart } from '../log/message.ts'
import type { Store } from '../log/store.ts'
import type { Scope } from '../tool/context.ts'
import type { StandardSchema } from '../tool/schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { WhileBusy } from '../turn/decide.ts'
import type { HoldKind } from '../turn/hold.ts'
import type { OnToolError } from './agent.ts'
import type { Watch } from './live-stream.ts'
import type { OutputRequest } from './output.ts'

export interface SendOptions {
  readonly scope?: Scope
  /** Handed to tools; one is made when none is given. */
  readonly requestId?: string
  readonly signal?: AbortSignal
  /** Who says it. */
  readonly by?: string
  /** Yours, unique in the conversation: a message that is sent again under the same key is taken once. */
  readonly key?: string
  /** `answer`: a message answers the question that a tool asked, if one is open; if none is, as the agent says. */
  readonly whileBusy?: WhileBusy | 'answer'
  /**
   * For this turn, besides the agent's own. The session remembers them until the next message; a session that is opened
   * again is given them with `Session.open`.
   */
  readonly tools?: readonly Tool[]
  /** For this turn, in place of the agent's. */
  readonly onToolError?: OnToolError
  readonly maxSteps?: number
  readonly output?: StandardSchema | OutputRequest
  readonly structuredFinalize?: boolean
  /** Shown every frame and event of this work, as it happens. */
  readonly watch?: Watch
  /** Told what the log does not say: why a model failed, with its cause. Without it, the host is told. */
  readonly onProblem?: (error: unknown) => void
}

export interface ResolveOptions {
  /** Which of the call's holds is meant (`nth`): needed to approve a call again that was held again. */
  readonly hold?: number
  /** Who answers. */
  readonly by?: string
  /** The kinds of hold that the caller may answer; the verdict on any other is `not-allowed`. Without it, every kind. */
  readonly kinds?: readonly HoldKind[]
  /** For plugins that make tools by scope: the tool must be there for its answer to be checked. */
  readonly scope?: Scope
}

export type Content = string | readonly UserPart[]

/** Saved data, as `JSON.parse` gives it back; or a store, with the id of a conversation in it. */
export type OpenFrom = (
  | { readonly data?: unknown; readonly store?: never; readonly id?: string }
  | { readonly data?: never; readonly store: Store; readonly id: string }
) & {
  /** What was given with the message of the turn that is open. */
  readonly tools?: readonly Tool[]
}
