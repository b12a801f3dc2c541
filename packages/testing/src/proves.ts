/**
 * The title of a test that proves guarantees: `test(proves('hold.resolves-once', 'a second answer is refused'), …)`.
 * The ids are part of the title, so a report shows which guarantee broke. A check fails for a guarantee without a test.
 */
export function proves(...idsAndTitle: readonly [id: string, ...rest: readonly string[], title: string]): string {
  const title = idsAndTitle.at(-1) ?? ''
  return `${title} [${idsAndTitle.slice(0, -1).join(', ')}]`
}
