/** Every route of the API that the OpenAPI document describes. */
import type { Route } from '../http/route.ts'
import { agentRoutes } from './agents.ts'
import { workerCallRoutes } from './worker-calls.ts'
import { channelDeliveryRoutes } from './channel-deliveries.ts'
import { deviceRoutes } from './devices.ts'
import { personChannelRoutes } from './person-channels.ts'
import { webhookRoutes } from './webhooks.ts'
import { changeRoutes } from './changes.ts'
import { conversationRoutes } from './conversations.ts'
import { eventRoutes } from './events.ts'
import { fileRoutes } from './files.ts'
import { forkAndReplayRoutes } from './fork-and-replay.ts'
import { healthRoutes } from './health.ts'
import { holdRoutes } from './holds.ts'
import { keyRoutes } from './keys.ts'
import { callLookupRoutes } from './call-lookup.ts'
import { autonomousAgentRoutes } from './autonomous-agents.ts'
import { participantRoutes } from './participants.ts'
import { exportRoutes } from './exports.ts'
import { mcpRoutes } from './mcp.ts'
import { peopleRoutes } from './people.ts'
import { evidenceRoutes } from './evidence.ts'
import { ruleRoutes } from './rules.ts'
import { searchRoutes } from './search.ts'
import { personSessionRoutes } from './person-sessions.ts'
import { usageReportRoutes } from './usage-report.ts'
import { systemHealthRoutes } from './system-health.ts'
import { usageRoutes } from './usage.ts'
import { toolResultRoutes } from './tool-results.ts'
import { spaceMemberRoutes } from './space-members.ts'
import { spaceMessageRoutes } from './space-messages.ts'
import { spaceRoutes } from './spaces.ts'

export const apiRoutes: readonly Route[] = [
  ...healthRoutes,
  ...agentRoutes,
  ...autonomousAgentRoutes,
  ...conversationRoutes,
  ...participantRoutes,
  ...eventRoutes,
  ...exportRoutes,
  ...fileRoutes,
  ...forkAndReplayRoutes,
  ...searchRoutes,
  ...spaceRoutes,
  ...spaceMemberRoutes,
  ...spaceMessageRoutes,
  ...changeRoutes,
  ...holdRoutes,
  ...toolResultRoutes,
  ...workerCallRoutes,
  ...callLookupRoutes,
  ...ruleRoutes,
  ...evidenceRoutes,
  ...keyRoutes,
  ...peopleRoutes,
  ...personSessionRoutes,
  ...personChannelRoutes,
  ...deviceRoutes,
  ...channelDeliveryRoutes,
  ...webhookRoutes,
  ...mcpRoutes,
  ...usageRoutes,
  ...usageReportRoutes,
  ...systemHealthRoutes,
]
