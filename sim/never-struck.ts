/** With this many seeds every kind of fault happens. A fault that never happens means that the simulation is broken. */
const ENOUGH_TO_MEET_ALL = 2000

export function neverStruck(seeds: number, faults: Readonly<Record<string, number>>): readonly string[] {
  if (seeds < ENOUGH_TO_MEET_ALL) return []
  return Object.keys(faults).filter((kind) => faults[kind] === 0)
}
