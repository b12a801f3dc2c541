/**
 * What a disk holds after a power loss. Until a file is synced, the operating system may have written any part of what was
 * given to it, in any order, down to a sector of 512 bytes. The same holds for the names in a folder that was not synced.
 */
import type { Random } from '../packages/testing/src/sim/random.ts'
import { GrowingBytes } from './growing-bytes.ts'
import type { FileOp, NameOp, Op } from './recording.ts'

/** Of the writes since the last sync, the disk has … */
export const KEEPS = ['none', 'all', 'a prefix', 'some', 'some, reordered', 'some sectors'] as const
export type Keep = (typeof KEEPS)[number]

export interface Image {
  readonly files: ReadonlyMap<string, Buffer>
  /** What was kept of each file, for a report. */
  readonly kept: Readonly<Record<string, Keep>>
}

interface DiskFile {
  readonly synced: GrowingBytes
  pending: FileOp[]
}

const SECTOR = 512

export class Disk {
  readonly #files = new Map<number, DiskFile>()
  #names: ReadonlyMap<string, number> = new Map()
  #renamings: NameOp[] = []

  apply(op: Op): void {
    switch (op.do) {
      case 'create':
        this.#files.set(op.file, { synced: new GrowingBytes(), pending: [] })
        this.#renamings.push(op)
        return
      case 'link':
      case 'rename':
      case 'unlink':
        this.#renamings.push(op)
        return
      case 'write':
      case 'truncate':
        this.#file(op.file).pending.push(op)
        return
      case 'sync': {
        const file = this.#file(op.file)
        for (const each of file.pending) perform(file.synced, each)
        file.pending = []
        return
      }
      case 'sync-folder':
        this.#names = renamed(this.#names, this.#renamings)
        this.#renamings = []
        return
      case 'tell':
    }
  }

  /** Each file, and the folder, keeps something else. */
  image(random: Random): Image {
    const kept: Record<string, Keep> = {}
    const keep = (what: string, pending: number): Keep => (kept[what] = pending > 0 ? random.pick(KEEPS) : 'all')
    const names = renamed(this.#names, chosen(this.#renamings, keep('folder', this.#renamings.length), random))
    const files = new Map<string, Buffer>()
    const contents = new Map<number, Buffer>()
    for (const [name, file] of names) {
      const { synced, pending } = this.#file(file)
      // Two names may lead to the same file.
      const bytes = contents.get(file) ?? after(synced, chosen(pending, keep(name, pending.length), random))
      contents.set(file, bytes)
      files.set(name, bytes)
    }
    return { files, kept }
  }

  /** As a process sees the files while the power is on. */
  asWritten(): ReadonlyMap<string, Buffer> {
    const names = renamed(this.#names, this.#renamings)
    return new Map([...names].map(([name, id]) => [name, after(this.#file(id).synced, this.#file(id).pending)]))
  }

  #file(id: number): DiskFile {
    const file = this.#files.get(id)
    if (!file) throw new Error(`The recording has no creation of file ${id}.`)
    return file
  }
}

function after(synced: GrowingBytes, ops: readonly FileOp[]): Buffer {
  const bytes = synced.copy()
  for (const op of ops) perform(bytes, op)
  return bytes.toBuffer()
}

function perform(bytes: GrowingBytes, op: FileOp): void {
  if (op.do === 'write') bytes.write(op.at, op.data)
  else bytes.truncate(op.size)
}

function chosen<T extends FileOp | NameOp>(ops: readonly T[], keep: Keep, random: Random): readonly T[] {
  switch (keep) {
    case 'none':
      return []
    case 'all':
      return ops
    case 'a prefix':
      return ops.slice(0, random.below(ops.length + 1))
    case 'some':
      return some(ops, random)
    case 'some, reordered':
      return shuffled(some(ops, random), random)
    case 'some sectors':
      return some(ops.flatMap(sectorsOf), random)
  }
}

function some<T>(ops: readonly T[], random: Random): T[] {
  // Often nearly all or nearly none: that is where one missing piece tells.
  const share = random.pick([0.05, 0.5, 0.95])
  return ops.filter(() => random.chance(share))
}

function shuffled<T>(ops: readonly T[], random: Random): T[] {
  const order = [...ops]
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const op = order[last]!
    order[last] = order[other]!
    order[other] = op
  }
  return order
}

/** The parts of a write that lie in different sectors of the file. */
function sectorsOf<T extends FileOp | NameOp>(op: T): T[] {
  if (op.do !== 'write') return [op]
  const parts: T[] = []
  for (let from = 0; from < op.data.length;) {
    const end = Math.min(op.data.length, from + SECTOR - ((op.at + from) % SECTOR))
    parts.push({ ...op, at: op.at + from, data: op.data.subarray(from, end) })
    from = end
  }
  return parts
}

/** An operation on a name that did not reach the disk does nothing. */
function renamed(names: ReadonlyMap<string, number>, ops: readonly NameOp[]): ReadonlyMap<string, number> {
  const result = new Map(names)
  for (const op of ops) {
    if (op.do === 'create') {
      result.set(op.name, op.file)
    } else if (op.do === 'unlink') {
      result.delete(op.name)
    } else {
      const file = result.get(op.from)
      if (file === undefined) continue
      if (op.do === 'rename') result.delete(op.from)
      result.set(op.name, file)
    }
  }
  return result
}
