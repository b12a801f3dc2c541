/** What the runtime needs to know of an autonomous agent. Set on the agent while its own log is driven. */
import type { ReplySpaces } from '../log/log-event.ts'
import type { Reply } from '../model/reply.ts'
import type { Tool } from '../tool/tool.ts'

export interface Autonomy {
  /**
   * The spaces that the calls of a reply are made in, in the order in which the model made them. `at` is the space that the
   * agent is in, and the one it was woken from. The result is written with the reply.
   */
  spacesOfCalls(
    reply: Reply,
    at: { readonly space: string | undefined; readonly startSpace: string | undefined },
    tools: ReadonlyMap<string, Tool>,
  ): Promise<ReplySpaces>
  /** Tools whose calls run one after the other, in the order of the reply, so that each sees what the ones before it wrote. */
  readonly inOrder: ReadonlySet<string>
}
