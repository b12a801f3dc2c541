/** A size for people, in the units of the previews that the runtime makes: `68 bytes`, `1.2 MB`. */
export function byteWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1_048_576 ? `${Math.round(bytes / 102.4) / 10} KB` : `${Math.round(bytes / 104_857.6) / 10} MB`
}
