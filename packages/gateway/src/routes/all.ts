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
import { runRoutes } from './runs.ts'

export const routes: readonly Route[] = [
  ...healthRoutes,
  ...agentRoutes,
  ...conversationRoutes,
  ...eventRoutes,
  ...changeRoutes,
  ...holdRoutes,
  ...runRoutes,
  ...callRoutes,
  ...keyRoutes,
]
