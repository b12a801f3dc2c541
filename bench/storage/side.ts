/** The operations of a side, ours or a baseline. A workload is written once and runs on each. Times are in microseconds. */
export interface Side {
  /** Runs turns in one conversation, one after the other. Returns the time of each. */
  turns(conversation: string, count: number): Promise<readonly number[]>
  /** Runs one turn in each of `count` new conversations, one after the other. Returns the time of each. */
  fresh(from: number, count: number): Promise<readonly number[]>
  /** Runs `turns` turns in each of `conversations` new conversations, all at once. Returns the total time. */
  crowd(from: number, conversations: number, turns: number): Promise<readonly number[]>
  /** Leaves new conversations with a call that waits for a person. */
  hold(from: number, count: number, inFlight: number): Promise<readonly number[]>
  /** Finds the held conversations. Returns their number and the time. */
  find(): Promise<readonly number[]>
  /** Approves the next `count` calls, and waits until each conversation is at rest. Returns the total time. */
  resolve(count: number, inFlight: number): Promise<readonly number[]>
  /** Requests the first page of open holds. */
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

/** Processes the items, with at most `width` in flight at a time. */
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
