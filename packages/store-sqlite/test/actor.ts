/** A process that has a store open and executes the commands it receives. */
import type { Store } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { atHead, followsAt } from '@holdpoint/testing'

export interface Asked {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export interface Told {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

const tell = (told: Told): void => void process.send?.(told)

async function compete(store: Store, id: string, times: number): Promise<string[]> {
  const to = { tenant: '', id }
  const rows = { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [] } as const
  const marks: string[] = []
  while (marks.length < times) {
    const [expectedSeq = 0] = await store.heads([to])
    const mark = `${process.pid}-${marks.length}`
    const events = [{ type: 'state.changed', plugin: mark, value: 1 }] as const
    const { result } = await store.append({
      to,
      expectedSeq,
      follows: followsAt(expectedSeq),
      mark,
      events,
      at: 1,
      rows,
    })
    if (result === 'ok') marks.push(mark)
    else if (result !== 'conflict') throw new Error(`an append came to ${result}`)
  }
  return marks
}

try {
  const store = atHead(await sqliteStore(process.argv[2] ?? ''))
  const methods: Readonly<Record<string, (...args: never[]) => unknown>> = {
    ...store,
    compete: (id: string, times: number) => compete(store, id, times),
  }
  process.on('message', ({ id, method, args }: Asked) => {
    const run = methods[method] as ((...args: readonly unknown[]) => unknown) | undefined
    Promise.resolve(run?.(...args)).then(
      (value) => tell({ id, value }),
      (error: unknown) => tell({ id, error: String(error) }),
    )
  })
  tell({ id: 0 })
} catch (error) {
  tell({ id: 0, error: String(error) })
  process.disconnect()
}
