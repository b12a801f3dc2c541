import type { Connections } from './connections.ts'

/**
 * Resolves when the synchronous standby has every commit that is visible now. Nothing else says so: a commit whose wait for the
 * standby was ended is visible like any other. The standby gets commits in order, so this makes one, and waits for it.
 */
export function openConfirmCommits(read: Connections['read']): () => Promise<void> {
  const query = {
    name: 'confirm',
    text: `select case when current_setting('synchronous_standby_names') <> ''
      then pg_logical_emit_message(true, 'holdpoint', '') end`,
    values: [],
  }
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  // Callers share the next one: while a standby is away, each would keep a connection that others read with.
  return () =>
    (next ??= last.then(async () => {
      next = undefined
      const running = read(query)
      last = running.catch(() => {})
      await running
    }))
}
