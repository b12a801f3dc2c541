/**
 * A process ends when nothing is under way, also one that forgot to close its runtime. Then the runtime is closed for it:
 * the node leaves, and its lock file goes with it. A process that is killed leaves both to the next one.
 */
import type { Runtime } from '@holdpoint/spaces'

/** Weak, so that a closed runtime can be collected. */
const open = new Set<WeakRef<Runtime>>()
let listens = false

export function closedAtExit(runtime: Runtime): Runtime {
  for (const each of open) if (!each.deref()) open.delete(each)
  open.add(new WeakRef(runtime))
  if (!listens) process.once('beforeExit', () => void closeAll())
  listens = true
  return runtime
}

async function closeAll(): Promise<void> {
  listens = false
  const all = [...open]
  open.clear()
  await Promise.allSettled(all.map(async (each) => each.deref()?.close()))
}
