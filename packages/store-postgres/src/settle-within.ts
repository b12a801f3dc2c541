/** For shutdown: waits until the work succeeds or fails, but at most `ms`. */
export async function settleWithin(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => {}), timeout])
  clearTimeout(timer)
}
