/** Somebody as the log names them. A program that came with a key says so, and is not to be taken for a person of that name. */
export function whoWords(by: string): string {
  const key = /^key:(.+)$/s.exec(by)?.[1]
  return key === undefined ? by : `${key} (key)`
}
