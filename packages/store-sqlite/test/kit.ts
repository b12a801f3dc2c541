/** Shared by the tests: temporary folders, sample writes, and stores in other processes. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Address, Append, Appended, Derived, HoldRow, Store } from '@holdpoint/core'
import { sqliteStore, type SqliteStoreOptions } from '@holdpoint/store-sqlite'
import { onTestFinished, vi } from 'vitest'
import { atHead, followsAt } from '@holdpoint/testing'
import type { Asked, Told } from './actor.ts'

// Threads and processes take their time on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

/** Removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'holdpoint-sqlite-'))
  onTestFinished(() => {
    chmodSync(path, 0o700)
    rmSync(path, { recursive: true, force: true })
  })
  return path
}

/** Closed after the test, before its folder is removed. */
export async function openStore(path: string, options?: SqliteStoreOptions): Promise<Store> {
  const store = atHead(await sqliteStore(path, options))
  onTestFinished(() => store.close())
  return store
}

export const at = (id: string, tenant = ''): Address => ({ tenant, id })

let marks = 0

export function draft(
  id: string,
  expectedSeq: number,
  more: Omit<Partial<Append>, 'rows'> & { rows?: Partial<Derived> } = {},
): Append {
  const rows: Derived = { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [], ...more.rows }
  const events = [{ type: 'state.changed', plugin: 'p', value: expectedSeq }] as const
  const mark = `mark ${process.pid} ${++marks}`
  return {
    to: at(id),
    expectedSeq,
    follows: followsAt(expectedSeq),
    mark,
    events,
    at: 1_800_000_000_000,
    ...more,
    rows,
  }
}

export function hold(callId: string, more: Partial<HoldRow> = {}): HoldRow {
  return { callId, tool: 'email.send', kind: 'approval', open: true, heldAt: 1, expiresAt: 2, seqs: [1], ...more }
}

export const results = (answers: readonly Appended[]): string[] => answers.map(({ result }) => result)

/** A store in its own process. */
export interface Actor {
  readonly process: ChildProcess
  ask<Method extends keyof Store>(
    method: Method,
    ...args: Parameters<Required<Store>[Method]>
  ): Promise<Awaited<ReturnType<Required<Store>[Method]>>>
  /** Appends to a conversation the given number of times, retrying on conflicts. Resolves to the marks. */
  compete(id: string, times: number): Promise<readonly string[]>
  ended(): Promise<void>
}

export async function actor(path: string, options: { limitKb?: number } = {}): Promise<Actor> {
  const program = new URL('./actor.ts', import.meta.url).pathname
  const flags = ['--conditions=@holdpoint/source', program, path]
  const child =
    options.limitKb === undefined
      ? fork(program, [path], { execArgv: flags.slice(0, 1) })
      : spawn('bash', ['-c', `ulimit -f ${options.limitKb}; exec "$0" "$@"`, process.execPath, ...flags], {
          stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        })
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const waiting = new Map<number, (told: Told) => void>()
  let asked = 0
  const ask = (message: Omit<Asked, 'id'>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++asked
      waiting.set(id, ({ value, error }) => (error === undefined ? resolve(value) : reject(new Error(error))))
      child.send({ ...message, id })
    })
  child.on('message', (told: Told) => waiting.get(told.id)?.(told))
  await new Promise<void>((resolve, reject) => {
    waiting.set(0, ({ error }) => (error === undefined ? resolve() : reject(new Error(error))))
    child.once('exit', (code) => reject(new Error(`the actor ended with ${code}`)))
  })
  return {
    process: child,
    ask: (method, ...args) => ask({ method, args }) as never,
    compete: (id, times) => ask({ method: 'compete', args: [id, times] }) as Promise<string[]>,
    ended: () => exit,
  }
}
