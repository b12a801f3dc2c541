/**
 * How a reader of a stream says which client tools it can run: their names in the address, with commas between them. What
 * is no name of a tool is refused on both sides.
 */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/
const MOST = 100

export function encodeClientTools(names: readonly string[]): string {
  const wrong = wrongWithClientTools(names)
  if (wrong !== undefined) throw new TypeError(wrong)
  return names.join(',')
}

/** Undefined when it is no such list. */
export function decodeClientTools(text: string): readonly string[] | undefined {
  const names = text.split(',')
  return wrongWithClientTools(names) === undefined ? names : undefined
}

/** In words; undefined when nothing is. */
export function wrongWithClientTools(names: readonly string[]): string | undefined {
  const bad = names.find((name) => !NAME.test(name))
  if (bad !== undefined) return `${JSON.stringify(bad)} cannot be the name of a tool.`
  return names.length > MOST ? `A reader has ${MOST} client tools at most.` : undefined
}
