/** Tells the host of an error in the page's own code, as it would of one in an event's listener. Node has no word for it. */
export function report(error: unknown): void {
  const { reportError } = globalThis as { readonly reportError?: (error: unknown) => void }
  if (reportError) return reportError(error)
  queueMicrotask(() => {
    throw error
  })
}
