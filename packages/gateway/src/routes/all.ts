/** Every route there is, but for the document about them. */
import type { Route } from '../http/route.ts'
import { agentRoutes } from './agents.ts'
import { callRoutes } from './calls.ts'
import { changeRoutes } from './changes.ts'
import { conversationRoutes } from './conversations.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { holdRoutes } from './holds.ts'
import { keyRoutes } from './keys.ts'
import { lifeRoutes } from './lives.ts'
import { mcpRoutes } from './mcp.ts'
import { runRoutes } from './runs.ts'
import { spaceMemberRoutes } from './space-members.ts'
import { spaceMessageRoutes } from './space-messages.ts'
import { spaceRoutes } from './spaces.ts'

export const routes: readonly Route[] = [
  ...healthRoutes,
  ...agentRoutes,
  ...lifeRoutes,
  ...conversationRoutes,
  ...eventRoutes,
  ...spaceRoutes,
  ...spaceMemberRoutes,
  ...spaceMessageRoutes,
  ...changeRoutes,
  ...holdRoutes,
  ...runRoutes,
  ...callRoutes,
  ...keyRoutes,
  ...mcpRoutes,
]
