/** What both sides can do, ours and the baseline: a workload is told once, and asked of each. Times are in microseconds. */
export interface Side {
  /** Turns in one conversation, one after the other: what each took. */
  turns(conversation: string, count: number): Promise<readonly number[]>
  /** A turn in each of as many new conversations, one after the other: what each took. */
  fresh(from: number, count: number): Promise<readonly number[]>
  /** As many turns in each of as many new conversations, all of these at once: what it took as a whole. */
  crowd(from: number, conversations: number, turns: number): Promise<readonly number[]>
  /** Leaves new conversations with a call that waits for a person. */
  hold(from: number, count: number, inFlight: number): Promise<readonly number[]>
  /** Finds the conversations that wait: how many, and what that took. */
  find(): Promise<readonly number[]>
  /** Says yes to the next ones, and sees each of them through to rest: what it took as a whole. */
  resolve(count: number, inFlight: number): Promise<readonly number[]>
  /** Asks for the first page of what waits. */
  pending(times: number): Promise<readonly number[]>
  close(): Promise<void>
}

export async function timed(work: () => Promise<unknown> | undefined): Promise<number> {
  const start = performance.now()
  const working = work()
  if (working) await working
  return (performance.now() - start) * 1000
}

export async function eachTimed(count: number, work: (nth: number) => Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = []
  for (let nth = 0; nth < count; nth++) took.push(await timed(() => work(nth)))
  return took
}

/** Works through the items with so many of them under way at any time. */
export async function inFlight<T>(
  width: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
