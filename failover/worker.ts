/**
 * A client process of the fail-over campaign, on the sources. It sends messages and decides held calls, and reports each
 * acknowledgement to its parent with the times at which it asked and was answered. `{ end: true }` on its input: it sends
 * nothing new, completes every conversation with one more message, and reports those that did not come to rest.
 *
 * Two such processes decide the same calls at the same time, and not always in the same way.
 */
import { createInterface } from 'node:readline'
import { holdpoint, HoldpointError, type PendingHold, type ResolveResult, type Runtime } from 'holdpoint'
import { postgresStore } from '@holdpoint/store-postgres'
import { desk, nap } from '../crash/desk.ts'
import { CONVERSATIONS, LEASE_MS, MESSAGES_AT_ONCE, REST_WITHIN_MS } from './limits.ts'

interface Timed<T> {
  readonly value: T
  readonly asked: number
  readonly at: number
}

const [url = '', schema = '', effects = '', name = ''] = process.argv.slice(2)
const told = new Set<string>()
/** The status of each conversation, and when it was asked for. */
const statuses = new Map<string, { readonly status: string; readonly asked: number }>()
let ending = false

function tell(line: object): void {
  // Writes to a pipe are synchronous, so the parent has the line when this returns.
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const commands = createInterface({ input: process.stdin })
commands.on('close', () => process.exit(1)) // the parent has ended
const runtime = await holdpoint({
  store: await postgresStore(url, {
    schema,
    onWarning: (message, cause) => verbose(message, cause),
  }),
  agents: [desk(effects)],
  leaseMs: LEASE_MS,
  lookMs: 40,
  keepIdle: 3,
  idleMs: 50,
  onProblem: ({ error, conversation }) => verbose(conversation?.id ?? '', error),
})
for (const id of CONVERSATIONS) await runtime.create({ id })
commands.on('line', () => void end(runtime))
tell({ ready: name })
await Promise.all([...CONVERSATIONS.map((id) => talk(runtime, id)), decideAll(runtime), watchStatuses(runtime)])

function verbose(what: string, error: unknown): void {
  if (process.env['FAILOVER_VERBOSE'])
    process.stderr.write(`${Date.now() % 100_000} ${name}: ${what} ${String(error)}\n`)
}

/** Retries while the store is unavailable or the outcome is unknown. Reports any other error once, and retries more slowly. */
async function withRetries<T>(what: string, work: () => Promise<T>): Promise<Timed<T>> {
  for (;;) {
    const asked = Date.now()
    try {
      return { value: await work(), asked, at: Date.now() }
    } catch (error) {
      if (!HoldpointError.is(error) || error.code !== 'store-unavailable') {
        const broken = `${what}: ${String(error)}`
        if (!told.has(broken)) tell({ broken })
        told.add(broken)
        await nap(200)
      }
      verbose(what, error)
      await nap(20)
    }
  }
}

/** A message is acknowledged when `submit` returns. Its key makes it one message, however often it is sent. */
async function talk(hp: Runtime, id: string): Promise<void> {
  for (let nth = 1; !ending; nth++) {
    await send(hp, id, `order ${name}-${id}-${nth}`)
    const since = Date.now()
    await nap(20 + Math.random() * 60)
    if (nth % MESSAGES_AT_ONCE === 0) while (!ending && statusOf(id, since) !== 'idle') await nap(20)
  }
}

/** An answer to a question that was asked earlier says nothing. */
function statusOf(id: string, since: number): string {
  const known = statuses.get(id)
  return known && known.asked >= since ? known.status : 'not known'
}

async function watchStatuses(hp: Runtime): Promise<void> {
  for (; ; await nap(100)) {
    const { value, asked } = await withRetries('list', () => hp.list({ limit: 1000 }))
    for (const { id, status } of value.items) statuses.set(id, { status, asked })
  }
}

async function send(hp: Runtime, id: string, message: string): Promise<void> {
  const { value, asked, at } = await withRetries(id, () => hp.submit(id, message, { key: message }))
  if (value.ok) tell({ sent: message, id, asked, at })
  else tell({ broken: `${message} was refused: ${value.message}` })
}

/** A conversation that does not answer must not keep the others from their decisions. */
async function decideAll(hp: Runtime): Promise<void> {
  const deciding = new Set<string>()
  for (;;) {
    const { value } = await withRetries('pending', () => hp.pending({ limit: 100 }))
    for (const hold of value.items) {
      if (deciding.has(hold.callId)) continue
      deciding.add(hold.callId)
      void decide(hp, hold).finally(() => deciding.delete(hold.callId))
    }
    await nap(10)
  }
}

/** A retry decides as the first try did, so that it may be told that it repeats itself. */
async function decide(
  hp: Runtime,
  { conversationId: id, callId, kind, endorsedBy, nth: hold }: PendingHold,
): Promise<void> {
  const rejects = kind === 'approval' && Math.random() < 0.2
  const by = `${name}-${kind !== 'approval' ? 'worker' : rejects ? 'zoe' : endorsedBy.length === 0 ? 'ann' : 'bob'}`
  const choice = kind !== 'approval' ? `answer by ${by}` : rejects ? 'reject' : 'approve'
  const { value, asked, at } = await withRetries(id, (): Promise<ResolveResult> => {
    if (kind !== 'approval') return hp.answer(id, callId, { by }, { by, hold })
    return rejects ? hp.reject(id, callId, 'No.', { by, hold }) : hp.approve(id, callId, { by, hold })
  })
  const { verdict, first, remaining = 0 } = value
  if (verdict === 'accepted') tell({ answered: callId, id, by, choice, final: remaining === 0, asked, at })
  // A claim about the log too: this answer, by this person or another one, is in it.
  if (verdict === 'duplicate') tell({ repeats: callId, id, by: first?.by ?? by, asked, at })
}

/** Sends each conversation a message that needs no decision, and waits until it is at rest. */
async function end(hp: Runtime): Promise<void> {
  ending = true
  const since = Date.now()
  const waiting = new Map<string, string>(CONVERSATIONS.map((id) => [id, 'the last message is not accepted']))
  const over = nap(REST_WITHIN_MS)
  const complete = async (id: string): Promise<void> => {
    await send(hp, id, `check ${name}-${id}`)
    const sent = Date.now()
    for (let status = ''; status !== 'idle'; await nap(20)) {
      status = statusOf(id, sent)
      waiting.set(id, `its status is ${status}`)
    }
    waiting.delete(id)
  }
  await Promise.race([over, Promise.all(CONVERSATIONS.map(complete))])
  const stuck = [...waiting].map(([id, why]) => `${id} is stuck in ${name} after ${Date.now() - since} ms: ${why}`)
  tell({ ended: name, stuck })
}
