/** A whole number from the command line. With zero, or text that is no number, a check would pass without doing anything. */
export function wholeNumber(option: string, given: string, least = 1): number {
  const number = Number(given)
  if (/^\d+$/.test(given) && Number.isSafeInteger(number) && number >= least) return number
  throw new Error(`--${option} is a whole number from ${least}, not ${JSON.stringify(given)}.`)
}
