/** What a process did to the files of one folder, in order, as `recorder.c` writes it down. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Disk } from './disk.ts'

export type FileOp =
  | { readonly do: 'write'; readonly file: number; readonly at: number; readonly data: Uint8Array }
  | { readonly do: 'truncate'; readonly file: number; readonly size: number }

export type NameOp =
  | { readonly do: 'create'; readonly name: string; readonly file: number }
  | { readonly do: 'link'; readonly from: string; readonly name: string }
  | { readonly do: 'rename'; readonly from: string; readonly name: string }
  | { readonly do: 'unlink'; readonly name: string }

export type Op =
  | FileOp
  | NameOp
  /** What was written to the file before is on the disk. */
  | { readonly do: 'sync'; readonly file: number }
  /** The names that were made, moved and removed before are on the disk. */
  | { readonly do: 'sync-folder' }
  /** A line that the process wrote to the world outside, which loses no power. */
  | { readonly do: 'tell'; readonly file: string; readonly line: string }

export interface Recording {
  readonly ops: readonly Op[]
  /** The first name of each file. */
  readonly names: ReadonlyMap<number, string>
}

const KINDS = ['', 'create', 'write', 'truncate', 'sync', 'sync-folder', 'link', 'rename', 'unlink'] as const
const HEAD_BYTES = 32

interface Raw {
  readonly kind: (typeof KINDS)[number]
  readonly ino: number
  readonly at: number
  readonly names: readonly string[]
  readonly data: Buffer
}

/** `outside` are the names of files that lose no power. Left out is SQLite's `-shm`, which holds nothing that lasts. */
export function parseRecording(trace: Buffer, outside: readonly string[]): Recording {
  const ops: Op[] = []
  const names = new Map<number, string>()
  /** An inode gets a new number with each creation, because a file system uses inodes again. */
  const files = new Map<number, number>()
  for (const { kind, ino, at, names: paths, data } of rawRecords(trace)) {
    const [one = '', other = ''] = paths.map((path) => basename(path))
    if (kind === 'create') {
      files.set(ino, names.size + 1)
      names.set(names.size + 1, one)
    }
    const file = files.get(ino) ?? 0
    const name = names.get(file) ?? one
    if (isMapped(name)) continue
    if (outside.includes(name)) {
      if (kind === 'write') ops.push(...linesOf(name, data))
      continue
    }
    switch (kind) {
      case '':
        throw new Error('The recording has a record of no kind.')
      case 'create':
        ops.push({ do: kind, name, file })
        break
      case 'write':
        ops.push({ do: kind, file, at, data })
        break
      case 'truncate':
        ops.push({ do: kind, file, size: at })
        break
      case 'sync':
        ops.push({ do: kind, file })
        break
      case 'sync-folder':
        ops.push({ do: kind })
        break
      case 'link':
      case 'rename':
        ops.push({ do: kind, from: one, name: other })
        break
      case 'unlink':
        ops.push({ do: kind, name: one })
    }
  }
  return { ops, names }
}

function* rawRecords(trace: Buffer): Iterable<Raw> {
  for (let start = 0; start < trace.length;) {
    const kind = KINDS[trace.readUInt32LE(start)]
    const namesEnd = start + HEAD_BYTES + trace.readUInt32LE(start + 4)
    const end = namesEnd + Number(trace.readBigUInt64LE(start + 24))
    if (kind === undefined || end > trace.length) throw new Error(`The recording is damaged at byte ${start}.`)
    yield {
      kind,
      ino: Number(trace.readBigUInt64LE(start + 8)),
      at: Number(trace.readBigUInt64LE(start + 16)),
      names: trace.toString('utf8', start + HEAD_BYTES, namesEnd).split('\0'),
      data: trace.subarray(namesEnd, end),
    }
    start = end
  }
}

function isMapped(name: string): boolean {
  return name.endsWith('-shm')
}

/** A line is written in one piece. */
function linesOf(file: string, data: Buffer): Op[] {
  const lines = data.toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => ({ do: 'tell', file, line }))
}

/**
 * A write that was not recorded, such as one by a call that the recorder does not know, would be missing from every image.
 * So all operations together must give the folder as it is.
 */
export function missedIn({ ops }: Recording, folder: string, outside: readonly string[]): string[] {
  const disk = new Disk()
  for (const op of ops) disk.apply(op)
  const recorded = disk.asWritten()
  const there = readdirSync(folder).filter((name) => !isMapped(name) && !outside.includes(name))
  return [...new Set([...there, ...recorded.keys()])].flatMap((name) => {
    const bytes = recorded.get(name)
    if (!bytes) return [`${name} is in the folder, and not in the recording`]
    if (!there.includes(name)) return [`${name} is in the recording, and not in the folder`]
    return readFileSync(join(folder, name)).equals(bytes) ? [] : [`${name} differs from the recording`]
  })
}
