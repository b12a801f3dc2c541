/** The name of an author. A key is marked as such, so that it is not mistaken for a person of the same name. */
export function whoWords(by: string): string {
  const key = /^key:(.+)$/s.exec(by)?.[1]
  return key === undefined ? by : `${key} (key)`
}
