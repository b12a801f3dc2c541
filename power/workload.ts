/**
 * A process whose writes are recorded. It opens the store, sends messages, answers what is held, erases, closes, and opens
 * the store again. What was acknowledged to it goes to the file `told`, which loses no power.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdpoint, type Runtime } from 'holdpoint'
import { sqliteStore } from '@holdpoint/store-sqlite'
import { desk, nap } from '../crash/desk.ts'
import { Random } from '../packages/testing/src/sim/random.ts'
import { DATABASE, EFFECTS, TOLD, type Told } from './told.ts'

const [folder = '', seed = '1', turns = '10'] = process.argv.slice(2)
const random = new Random(Number(seed))
/**
 * The share of the turns before each time that the store is closed, which moves the write-ahead log into the database and
 * removes it. In the longest round, the log becomes so long that this happens while the store is in use.
 */
const ROUNDS = [0.1, 0.8, 0.1]
const LONG_TEXT = 20_000

function tell(told: Told): void {
  appendFileSync(join(folder, TOLD), `${JSON.stringify(told)}\n`)
}

for (const [round, share] of ROUNDS.entries()) {
  const store = await sqliteStore(join(folder, DATABASE))
  const runtime = await holdpoint({
    store,
    agents: [desk(join(folder, EFFECTS))],
    lookMs: 100,
    keepIdle: 3,
    idleMs: 50,
  })
  let talking = true
  const answering = answerAll(runtime, () => talking)
  const each = Math.ceil((Number(turns) * share) / 4)
  const conversations = ['c1', 'c2', 'c3', 'c4'].map((id) => talk(runtime, id, round, each))
  await Promise.all([...conversations, cancelOne(runtime, round), count(store, round, each)])
  talking = false
  await answering
  // Nothing else is under way, so that a power loss right after it can only bring content of this conversation back.
  await eraseOne(runtime, round)
  await runtime.close()
  await store.close()
}

async function talk(runtime: Runtime, id: string, round: number, times: number): Promise<void> {
  for (let nth = 1; nth <= times; nth++) {
    const text = `order ${id}-${round}-${nth}${random.chance(0.1) ? ` ${'x'.repeat(LONG_TEXT)}` : ''}`
    const taken = await runtime.submit(id, text, { key: text.slice(0, 50) })
    if (!taken.ok) throw new Error(`${text.slice(0, 50)} was refused: ${taken.message}`)
    tell({ told: 'sent', id, text })
    await nap(random.below(20))
  }
}

/** The last holds of a round stay open until the next. */
async function answerAll(runtime: Runtime, talking: () => boolean): Promise<void> {
  while (talking()) {
    const { items } = await runtime.pending({ limit: 100 })
    await Promise.all(
      items.map(async ({ conversationId: id, callId, kind, endorsedBy }) => {
        const by = endorsedBy.length === 0 ? 'ann' : 'bob'
        const { verdict } = await (kind === 'approval'
          ? runtime.approve(id, callId, { by })
          : runtime.answer(id, callId, { by }, { by }))
        if (verdict === 'accepted') tell({ told: 'answered', id, callId, by })
      }),
    )
    await nap(2)
  }
}

async function cancelOne(runtime: Runtime, round: number): Promise<void> {
  const id = await runtime.create({ id: `cancelled-${round}` })
  tell({ told: 'created', id })
  await runtime.submit(id, 'order one')
  const { ok } = await runtime.cancel(id)
  if (ok) tell({ told: 'cancelled', id })
}

async function eraseOne(runtime: Runtime, round: number): Promise<void> {
  const id = await runtime.create({ id: `erased-${round}` })
  await runtime.send(id, 'a secret')
  tell({ told: 'sent', id, text: 'a secret' })
  tell({ told: 'erasing', id })
  const { ok } = await runtime.erase(id)
  if (ok) tell({ told: 'erased', id })
}

/** A document with a number that only grows. */
async function count(store: Awaited<ReturnType<typeof sqliteStore>>, round: number, times: number): Promise<void> {
  for (let nth = 1; nth <= times; nth++) {
    const data = round * 1_000_000 + nth
    await store.put({ tenant: '', kind: 'power', id: 'counter', data })
    tell({ told: 'counted', data })
    await nap(5)
  }
}
