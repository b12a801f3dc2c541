/** What a call waits for, or waited for last. Who carries calls out does not answer for people. */
import type { Address, HoldKind } from '@holdpoint/core'
import type { Services } from '../services.ts'

export async function kindOf({ store }: Services, address: Address, callId: string): Promise<HoldKind | undefined> {
  const events = await store.readCall(address, callId)
  return events.findLast((event) => event.type === 'call.held')?.hold.kind
}
