/**
 * Waits until a turn ends or needs the caller. A call that a worker has claimed, or will probably claim, is not for the
 * caller, so the wait continues.
 */
import type { HeldCall, TurnResult } from '@holdpoint/runtime'
import type { GatewayServices } from '../gateway-services.ts'
import { waitForChange } from './wait-for-change.ts'
import { waitUpTo } from './wait-up-to.ts'

/** The wait polls this often even without a change notification. */
const POLL_MS = 1000

/** Calls `settled` again after each change. Returns undefined when the turn takes longer; it continues. */
export async function waitForTurn(
  seconds: number,
  services: GatewayServices,
  tenant: string,
  settled: () => Promise<TurnResult | undefined>,
): Promise<TurnResult | undefined> {
  const ends = performance.now() + seconds * 1000
  for (;;) {
    const left = ends - performance.now()
    if (left <= 0) return undefined
    const result = await waitUpTo(left / 1000, services.closing, settled())
    if (result?.status !== 'held' || !(await areWithWorkers(services, tenant, result.holds))) return result
    await waitForChange(services.store, tenant, Math.min(left, POLL_MS), services.closing)
    if (services.closing.aborted) return undefined
  }
}

async function areWithWorkers(
  { claims, workers }: GatewayServices,
  tenant: string,
  holds: TurnResult['holds'],
): Promise<boolean> {
  const isWithWorker = async ({ kind, cause, callId, name }: HeldCall): Promise<boolean> =>
    kind === 'external' &&
    cause !== 'manual' &&
    ((await claims.isClaimed(tenant, callId)) || (await workers.hasWorkerFor(tenant, name)))
  const withWorkers = await Promise.all(holds.filter((hold) => !hold.async).map(isWithWorker))
  return withWorkers.every(Boolean)
}
