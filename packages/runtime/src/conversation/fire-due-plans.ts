/** Fires the plans of an agent that are due. */
import { dueTimes } from '@holdpoint/core/internal/plan/due-times'
import type { Ports } from '@holdpoint/core/internal/ports'
import { decidePlanFire } from '@holdpoint/core/internal/turn/decide-plan-fire'
import { withEvents } from '../log/decision-events.ts'
import type { ConversationLog } from './conversation-log.ts'

export async function fireDuePlans(log: ConversationLog, ports: Ports): Promise<void> {
  const { now } = ports
  for (const { id, nextAt } of log.state.plans.values())
    if (now() >= nextAt) await log.change((state) => withEvents(decidePlanFire(state, id, now(), dueTimes(ports))))
}
