/**
 * Node ends a process that has no more work, even if the program did not close its runtime. Then this closes the runtime, so that
 * the node's lease ends and its lock file is removed. If a process is killed, the next process cleans up.
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
