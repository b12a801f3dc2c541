/** So many seeds meet every kind of fault: one that never came up is a part of the simulation that went dead. */
const ENOUGH_TO_MEET_ALL = 2000

export function neverStruck(seeds: number, faults: Readonly<Record<string, number>>): readonly string[] {
  if (seeds < ENOUGH_TO_MEET_ALL) return []
  return Object.keys(faults).filter((kind) => faults[kind] === 0)
}
