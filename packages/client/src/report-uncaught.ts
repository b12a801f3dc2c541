/** Reports an error in a listener like an uncaught error. Node has no `reportError`, so there it is thrown in a microtask. */
export function reportUncaught(error: unknown): void {
  const { reportError } = globalThis as { readonly reportError?: (error: unknown) => void }
  if (reportError) return reportError(error)
  queueMicrotask(() => {
    throw error
  })
}
