/** A number somebody typed behind an option. What is no number, and zero, would make a check pass that did nothing. */
export function wholeNumber(option: string, given: string, least = 1): number {
  const number = Number(given)
  if (/^\d+$/.test(given) && Number.isSafeInteger(number) && number >= least) return number
  throw new Error(`--${option} is a whole number from ${least}, not ${JSON.stringify(given)}.`)
}
