import type { Address } from '@holdpoint/core/internal/log/store'
import type { NewHold, RuntimeOptions } from './runtime-options.ts'

/** Calls `onHeld` after the append: it may use the conversation at once, and its errors are not those of the writer. */
export function tellHolds(
  holds: readonly NewHold[],
  onHeld: NonNullable<RuntimeOptions['onHeld']>,
  host: { problem(error: unknown, address: Address): void },
): void {
  for (const hold of holds)
    Promise.resolve(hold)
      .then(onHeld)
      .catch((error: unknown) => host.problem(error, { tenant: hold.tenant, id: hold.conversationId }))
}
