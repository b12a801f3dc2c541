/** Reports that a request was refused at a limit of its tenant: to the log, and to `onQuotaReached`. */
import type { QuotaReached } from '@holdpoint/runtime'
import type { QuotaLogger } from './quota-logger.ts'

export type LimitReached = (tenant: string, quota: 'requests' | 'bytes', why: string) => void

export function limitReached(
  logger: QuotaLogger,
  onQuotaReached: ((reached: QuotaReached) => void) | undefined,
  problem: (error: unknown) => void,
): LimitReached {
  return (tenant, quota, why) => {
    logger(tenant, quota, why)
    try {
      onQuotaReached?.({ tenant, quota, effect: 'refused' })
    } catch (error) {
      problem(error)
    }
  }
}
