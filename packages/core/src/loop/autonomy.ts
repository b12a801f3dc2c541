/** What the loop asks of an agent that acts by itself in spaces. Set on the agent while its own log is driven. */
import type { Placed } from '../log/log-event.ts'
import type { Reply } from '../model/reply.ts'
import type { Tool } from '../tool/tool.ts'

export interface Autonomy {
  /**
   * The spaces that the calls of a reply are made in, in the order in which the model made them. `at` is the space that the
   * agent is in, and the one it was woken from. The result is written with the reply.
   */
  placeCalls(
    reply: Reply,
    at: { readonly space: string | undefined; readonly home: string | undefined },
    tools: ReadonlyMap<string, Tool>,
  ): Promise<Placed>
  /** Tools whose calls run one after the other, as the model wrote them: each finds in the log what those before it wrote. */
  readonly inOrder: ReadonlySet<string>
}
