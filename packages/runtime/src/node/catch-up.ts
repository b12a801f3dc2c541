import type { Store } from '@holdpoint/core/internal/log/store'
import type { AnyActiveLog } from './active-logs.ts'

/** Notifications may be lost, so each log in use is compared with the newest seq of the store. */
export async function catchUp(
  store: Store,
  logs: Iterable<AnyActiveLog>,
  refresh: (active: AnyActiveLog, seq: number) => Promise<void>,
): Promise<void> {
  const followed = Array.from(logs).filter((active) => active.log.hasWork || !active.idle)
  if (followed.length === 0) return
  const known = followed.map(({ log }) => log.state.seq)
  const heads = await store.heads(followed.map(({ log }) => log.address))
  // A store that is behind what this process knew before has lost events, which the log finds out.
  const behind = (nth: number): boolean => heads[nth]! < known[nth]!
  await Promise.all(followed.map((each, nth) => (behind(nth) ? each.log.refresh() : refresh(each, heads[nth]!))))
}
