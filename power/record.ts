/** Runs the workload with the recorder in front of libc. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../crash/child.ts'
import { missedIn, parseRecording, type Recording } from './recording.ts'
import { OUTSIDE } from './told.ts'

export const ON_SOURCES: Readonly<Record<string, string>> = { NODE_OPTIONS: '--conditions=@holdpoint/source' }

/** Why nothing can be recorded on this machine, or undefined. */
export function whyNotRecorded(): string | undefined {
  if (process.platform !== 'linux') return `The recorder is for Linux, and this is ${process.platform}.`
  if (spawnSync('gcc', ['--version']).status === 0) return undefined
  return 'gcc is missing. It compiles the recorder (power/recorder.c); on Debian: apt-get install gcc libc6-dev.'
}

export interface RecordOptions {
  /** For the recorder, the recording and the files of the workload. */
  readonly folder: string
  readonly seed: number
  readonly turns: number
}

/** The recording is in `folder`, in the file `trace`. */
export async function record({ folder, seed, turns }: RecordOptions): Promise<Recording> {
  const [recorder, trace, data] = ['recorder.so', 'trace', 'data'].map((name) => join(realpathSync(folder), name))
  if (!recorder || !trace || !data) throw new Error('unreachable')
  compile(recorder)
  mkdirSync(data)
  const workload = startChild('../power/workload.ts', {
    args: [data, String(seed), String(turns)],
    env: { ...ON_SOURCES, LD_PRELOAD: recorder, POWER_FOLDER: data, POWER_TRACE: trace },
  })
  const end = await workload.died
  if (end !== 0) throw new Error(`The workload ended with ${end}.`)
  const recording = readRecording(trace)
  const missed = missedIn(recording, data, OUTSIDE)
  if (missed.length > 0) throw new Error(`The recording is not complete: ${missed.join('; ')}.`)
  return recording
}

export function readRecording(trace: string): Recording {
  return parseRecording(readFileSync(trace), OUTSIDE)
}

function compile(to: string): void {
  const source = join(import.meta.dirname, 'recorder.c')
  const { status, stderr } = spawnSync('gcc', ['-O2', '-shared', '-fPIC', '-o', to, source, '-lpthread'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`gcc could not compile ${source}:\n${stderr}`)
}

/** In memory, where the system has such a folder: what is read back there is what was written, and it is fast. */
export function folderInMemory(name: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), name))
}
