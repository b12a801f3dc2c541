/** Statistics of the measurements. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const upper = sorted[Math.floor(half)] ?? Number.NaN
  return Number.isInteger(half) ? ((sorted[half - 1] ?? Number.NaN) + upper) / 2 : upper
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Rounds to three digits. The measurements are not more precise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

export function chunks(total: number, size: number): readonly number[] {
  return Array.from({ length: Math.ceil(total / size) }, (_, nth) => Math.min(size, total - nth * size))
}
