/**
 * The query parameter by which a stream reader declares the client tools it can run: names separated by commas. Both
 * sides refuse an invalid name.
 */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/
const MAX_TOOLS = 100

export function encodeClientTools(names: readonly string[]): string {
  const wrong = clientToolsError(names)
  if (wrong !== undefined) throw new TypeError(wrong)
  return names.join(',')
}

/** Returns undefined when the text is not a valid list. */
export function decodeClientTools(text: string): readonly string[] | undefined {
  const names = text.split(',')
  return clientToolsError(names) === undefined ? names : undefined
}

/** Returns a message about the first invalid name; undefined when all are valid. */
export function clientToolsError(names: readonly string[]): string | undefined {
  const bad = names.find((name) => !NAME.test(name))
  if (bad !== undefined) return `${JSON.stringify(bad)} is not a valid tool name.`
  return names.length > MAX_TOOLS ? `A reader may have at most ${MAX_TOOLS} client tools.` : undefined
}
