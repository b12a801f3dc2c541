const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const rules = new Intl.PluralRules('en', { type: 'ordinal' })

/** `2nd`, `11th`, `21st` */
export function ordinal(nth: number): string {
  return `${nth}${ENDINGS[rules.select(nth)] ?? 'th'}`
}
