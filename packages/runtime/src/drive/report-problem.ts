import type { Address } from '@holdpoint/core/internal/log/store'
import type { LogHost } from './log-host.ts'

/** Reports an error to the runtime. A session has none, and reports to its caller. A listener that throws stops nothing. */
export function reportProblem(
  host: LogHost,
  address: Address,
  error: unknown,
  otherwise: ((error: unknown) => void) | undefined,
): void {
  try {
    if (host.problem) host.problem(error, address)
    else otherwise?.(error)
  } catch {
    // The error is reported; what the listener does with it is not our concern.
  }
}
