/** A process under test. It runs the shipped build, its output is read line by line, and it is killed by its pid. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type Line = Readonly<Record<string, unknown>>

export interface Child {
  readonly pid: number
  /** The signal or the exit code that it ended with. Resolves after all of its output is read. */
  readonly died: Promise<NodeJS.Signals | number>
  /** The first line with this key, past or future. Rejects when the process ends without one. */
  line(key: string): Promise<Line>
  say(line: Line): void
  signal(signal: NodeJS.Signals): void
  kill(): Promise<void>
}

export interface ChildOptions {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  hear?(line: Line): void
}

/** `script` is a file of this folder. The process ends when its parent ends: its standard input is a pipe from the parent. */
export function startChild(script: string, { args, env = {}, hear = () => {} }: ChildOptions): Child {
  const main = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Without the options of a test run, so that the packages resolve to their builds.
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  })
  child.stdin.on('error', () => {}) // the process may have ended before a line is written to it
  const told: Line[] = []
  const waiting = new Set<() => void>()
  let over = false
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (text) => {
    const line = JSON.parse(text) as Line
    told.push(line)
    hear(line)
    for (const look of waiting) look()
  })
  const died = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(([[code, signal]]) => {
    over = true
    for (const look of waiting) look()
    return (signal ?? code) as NodeJS.Signals | number
  })
  return {
    pid: child.pid ?? 0,
    died,
    line: (key) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = told.find((line) => key in line)
          if (found) resolve(found)
          else if (over) reject(new Error(`${script} ended without a line "${key}".`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    say: (line) => child.stdin.write(`${JSON.stringify(line)}\n`),
    signal: (signal) => child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL')
      await died
    },
  }
}
