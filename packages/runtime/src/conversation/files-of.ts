import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { LogHost } from '../drive/log-host.ts'
import { reportProblem } from '../drive/report-problem.ts'
import { ConversationFiles } from '../files/conversation-files.ts'

/** The files of a conversation. Undefined in a session, which keeps them in its log. */
export function filesOf(
  host: LogHost,
  address: Address,
  { ports }: Pick<Agent, 'ports'>,
): ConversationFiles | undefined {
  if (!host.files) return undefined
  return new ConversationFiles(host.files, address, (error) => reportProblem(host, address, error, ports.problem))
}
