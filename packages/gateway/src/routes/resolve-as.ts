/** Resolves a hold for routes of other protocols. */
import type { Resolution, ResolveResult } from '@holdpoint/core'
import type { RouteRequest } from '../http/route.ts'
import { refuseCustom } from './access-rules.ts'
import { allowedKinds } from './holds.ts'
import { deciderOf } from './request-author.ts'

/** An answer to one hold, as a page of another protocol showed it. */
interface ShownAnswer {
  readonly callId: string
  readonly nth: number
  readonly resolution: Resolution
}

/** With the rights of the caller, exactly as the route that resolves one hold. */
export async function resolveAs(
  asked: Pick<RouteRequest, 'caller' | 'services' | 'runtime'>,
  which: string,
  { callId, nth, resolution }: ShownAnswer,
): Promise<ResolveResult> {
  const { caller, runtime } = asked
  const from = await deciderOf(asked, undefined)
  if ('answer' in from || (await refuseCustom(asked, which, callId)))
    return { verdict: 'not-allowed', message: 'You may not answer this.' }
  return runtime.resolve(which, callId, resolution, { by: from.by, hold: nth, ...allowedKinds(caller, ['client']) })
}
