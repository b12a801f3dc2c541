/** Only the seed may decide: while a simulation runs, reading the host's clock or random generator is an error. */
const banned = (what: string) => (): never => {
  throw new Error(`A simulation used the host's ${what}. Use the ports.`)
}

/** `stacks`: keep stack traces, which cost a large part of the run time. */
export async function frozen<T>(stacks: boolean, run: () => Promise<T>): Promise<T> {
  const { now } = Date
  const { random } = Math
  const { stackTraceLimit } = Error
  Date.now = banned('the time')
  Math.random = banned('chance')
  if (!stacks) Error.stackTraceLimit = 0
  try {
    return await run()
  } finally {
    Date.now = now
    Math.random = random
    Error.stackTraceLimit = stackTraceLimit
  }
}
