/** A number of holds, as far as they were read. */
export interface Count {
  readonly count: number
  /** There may be more. */
  readonly more: boolean
}

export function countWords({ count, more }: Count): string {
  return more ? `${count}+` : String(count)
}
