/** A store in another process: asked by messages, and killed without a goodbye. This file is both ends of it. */
import { fork } from 'node:child_process'
import type { Store } from '@holdpoint/core'

export type Opened =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string }

interface Asked {
  readonly id: number
  readonly method: Exclude<keyof Store, 'listen'>
  readonly given: readonly unknown[]
  /** What time it is, with every question: the clock is the test's. */
  readonly now: number
}

type Told = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

const METHODS = [
  ...([
    'append',
    'load',
    'follow',
    'batches',
    'inspect',
    'read',
    'readBack',
    'readCall',
    'findKey',
    'heads',
    'pending',
    'list',
    'usage',
    'walk',
  ] as const),
  ...(['note', 'notes', 'put', 'get', 'documents', 'sweep'] as const),
  ...(['beat', 'leave', 'due', 'takeOver', 'close'] as const),
]

export async function storeProcess(
  what: Opened,
  now: () => number,
): Promise<{ readonly store: Store; readonly kill: () => Promise<void> }> {
  const child = fork(new URL(import.meta.url).pathname, [JSON.stringify(what)], {
    execArgv: ['--conditions=@holdpoint/source'],
    serialization: 'advanced',
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const waiting = new Map<number, (told: Told) => void>()
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()))
  child.on('message', (told: Told) => waiting.get(told.id)?.(told))
  await ready

  let asked = 0
  const ask = (method: Asked['method'], given: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++asked
      waiting.set(id, (told) => ('error' in told ? reject(new Error(told.error)) : resolve(told.value)))
      child.send({ id, method, given, now: now() } satisfies Asked, () => {})
    })
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const asking = METHODS.map((method) => [method, (...given: readonly unknown[]) => ask(method, given)] as const)
  const store = { ...Object.fromEntries(asking), listen: () => () => {} } as unknown as Store
  const close = async (): Promise<void> => {
    await store.close()
    await kill()
  }
  return { store: { ...store, close }, kill }
}

async function serve(what: Opened): Promise<void> {
  let now = 0
  const store = await opened(what, () => now)
  const tell = (told: Told): void => void process.send?.(told)
  process.on('message', ({ id, method, given, now: time }: Asked) => {
    now = time
    const answer = store[method] as (...given: readonly unknown[]) => Promise<unknown>
    answer(...given).then(
      (value) => tell({ id, value }),
      (error: unknown) => tell({ id, error: String(error) }),
    )
  })
  tell({ id: 0, value: undefined })
}

/** Each loads only its own package: these processes run for a moment only. */
async function opened(what: Opened, now: () => number): Promise<Store> {
  switch (what.kind) {
    case 'sqlite': {
      const { sqliteStore } = await import('@holdpoint/store-sqlite')
      return sqliteStore(what.path, { now })
    }
    case 'postgres': {
      const { postgresStore } = await import('@holdpoint/store-postgres')
      return postgresStore(what.url, { schema: what.schema, dispatcher: 'none', clockOffset: now })
    }
  }
}

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? '') as Opened)
