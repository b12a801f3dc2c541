/**
 * Where a person takes no part, although they asked for a call there: they were removed from the conversation, or from the
 * space in which they asked an agent. Such a person must not see or answer what the call asks. Members of a space are in its
 * own log, so they are read before each decision about the log of an agent.
 */
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { Author } from '@holdpoint/core/internal/log/message'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { Principal } from '@holdpoint/core/internal/principal'
import { refuseStranger } from '@holdpoint/core/internal/turn/people'
import type { Absence } from '@holdpoint/core/internal/turn/resolve'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { LogHost } from '../drive/log-host.ts'

export async function absenceOf(
  host: Pick<LogHost, 'isMember'>,
  { tenant, id }: Address,
  state: Conversation,
  by: Principal | undefined,
  askedBy: readonly Author[] = [],
): Promise<Absence> {
  const conversation = agentOfLog(id) === undefined && refuseStranger(state, by) !== undefined
  const own = askedBy.filter((author) => author.by === by?.id && author.kind !== 'agent')
  const spaces: string[] = []
  for (const { space } of own)
    if (by && space !== undefined && !(await host.isMember({ tenant, id: space }, by.id))) spaces.push(space)
  return { conversation, spaces }
}
