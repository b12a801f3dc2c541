/**
 * How a page says which client tools it can run, so that a call nobody can carry out need not wait for its deadline. The
 * gateway does not ask for it yet, so nothing is said: a header it does not expect would keep pages of other origins out.
 * When it does, this is the one place to say it.
 */
export function presence(_tools: readonly string[]): Readonly<Record<string, string>> {
  return {}
}
