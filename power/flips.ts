/**
 * Flips single bits of a closed SQLite store, opens each copy with the real store, and asks whether the flip is found: by opening, by
 * reading or by `verifyStore`. A flip that changes no event, no state and no list is harmless. Any other that is not found is undetected.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, type ConversationRow, type Store } from '@holdpoint/core'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { holdpoint, verifyStore } from 'holdpoint'
import { desk } from '../crash/desk.ts'
import { Random } from '../packages/testing/src/sim/random.ts'

export interface FlipCount {
  readonly flips: number
  readonly found: number
  readonly harmless: number
  /** Which bits, and what they changed. */
  readonly undetected: readonly string[]
}

export interface FlipOptions {
  /** For the files. */
  readonly folder: string
  readonly flips: number
  readonly seed: number
  progress?(done: number, undetected: number): void
}

const ORDERS = 6

export async function flipBits({ folder, flips, seed, progress }: FlipOptions): Promise<FlipCount> {
  const whole = join(folder, 'whole.db')
  await fill(whole, folder)
  const expected = await contentOf(whole)
  if ('found' in expected) throw new Error(`The store is not sound before any flip: ${expected.found}`)
  const bytes = readFileSync(whole)
  const random = new Random(seed)
  const count = { found: 0, harmless: 0 }
  const undetected: string[] = []
  for (let done = 0; done < flips; done++) {
    const [place, bit] = [random.below(bytes.length), random.below(8)]
    const copy = join(folder, 'flipped.db')
    const flipped = Buffer.from(bytes)
    flipped[place]! ^= 1 << bit
    writeFileSync(copy, flipped, { mode: 0o600 })
    const is = await contentOf(copy)
    if ('found' in is) count.found++
    else if (is.content === expected.content) count.harmless++
    else undetected.push(`bit ${bit} of byte ${place}: ${difference(expected.content, is.content)}`)
    for (const name of ['', '-wal', '-shm', '-newest']) rmSync(copy + name, { force: true })
    progress?.(done + 1, undetected.length)
  }
  return { flips, ...count, undetected }
}

function difference(before: string, after: string): string {
  let at = 0
  while (before[at] === after[at]) at++
  return `${before.slice(at - 60, at + 20)} became ${after.slice(at - 60, at + 20)}`
}

/** Conversations with finished turns, and with calls that wait. */
async function fill(file: string, folder: string): Promise<void> {
  const store = await sqliteStore(file)
  const runtime = await holdpoint({ store, agents: [desk(join(folder, 'effects'))] })
  for (let nth = 0; nth < ORDERS; nth++) {
    await runtime.send(`c${nth}`, `quick order ${nth}`)
    if (nth % 2 === 0) await runtime.send(`c${nth}`, `order ${nth}`)
  }
  await runtime.close()
  await store.close()
}

type Content = { readonly content: string } | { readonly found: string }

async function contentOf(file: string): Promise<Content> {
  let store: Store | undefined
  try {
    store = await sqliteStore(file)
    const { problems } = await verifyStore(store)
    if (problems.length > 0) return { found: problems.map(({ message }) => message).join('; ') }
    return { content: JSON.stringify(await everything(store)) }
  } catch (error) {
    return { found: messageOf(error) }
  } finally {
    await store?.close().catch(() => {})
  }
}

async function everything(store: Store): Promise<unknown> {
  const { items } = await store.walk({ limit: 1000 })
  const logs: unknown[] = []
  for (const { tenant, id } of items) {
    const from = { tenant, id }
    logs.push([await store.load(from), await store.read(from, 0), await store.readBack(from, Infinity, 1000)])
  }
  const [listed, pending] = [
    await store.list({ tenant: '', limit: 1000 }),
    await store.pending({ tenant: '', limit: 1000 }),
  ]
  const calls = await Promise.all(
    pending.items.map(({ conversationId, callId }) => store.readCall({ tenant: '', id: conversationId }, callId)),
  )
  return { items: items.map(withoutTimes), logs, listed: listed.items.map(withoutTimes), pending, calls }
}

/** Nothing checks the two times of a conversation in a list. A wrong one changes only what the list shows, and its order. */
function withoutTimes({ createdAt: _created, updatedAt: _updated, ...row }: ConversationRow): object {
  return row
}
