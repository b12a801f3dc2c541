/**
 * A process to be killed. It opens the store, sends messages, answers pending holds, and reports to its parent, one line
 * each, what was acknowledged as durable. `--finish`: sends nothing new, finishes every conversation, and exits. With
 * `OTLP_URL`, it exports its spans there.
 */
import { holdpoint, HoldpointError, type Runtime } from 'holdpoint'
import { desk, nap } from './desk.ts'
import { spansTo } from './spans-to.ts'
import { crashPointStore } from './crash-point-store.ts'

const [place = '', effects = '', name = '', ...flags] = process.argv.slice(2)
const conversations = Array.from({ length: 6 }, (_, index) => `c${index + 1}`)

function tell(line: object): void {
  // Writes to a pipe are synchronous, so the parent has the line when this returns.
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

process.stdin.resume().on('end', () => process.exit(1)) // the parent has ended
const store = await crashPointStore(place, { point: process.env['CRASH_AT'], bad: process.env['CRASH_STORE'] })
const otlp = process.env['OTLP_URL']
const watching = otlp === undefined ? undefined : spansTo(otlp, store)
const hp = await holdpoint({
  store,
  ...(watching && { observer: watching.observer }),
  agents: [desk(effects)],
  leaseMs: 400,
  lookMs: 40,
  keepIdle: 3,
  idleMs: 50,
  onProblem: ({ error }) => {
    if (process.env['CRASH_VERBOSE']) process.stderr.write(`${name}: ${String(error)}\n`)
  },
})
await watching?.resume()
tell({ ready: name })
if (flags.includes('--finish')) await finish(hp)
else await Promise.all([begin(hp), ...conversations.map((id) => talk(hp, id)), answerAll(hp)])

/**
 * Retries while the store is unavailable or the outcome is unknown: with the same key, the request takes effect once.
 * Reports any other error and stops.
 */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!HoldpointError.is(error)) throw error
      if (error.code !== 'store-unavailable') {
        tell({ broken: error.message })
        await new Promise(() => {})
      }
      await nap(20)
    }
  }
}

/** Creates a conversation, starts a turn and cancels it. */
async function begin(runtime: Runtime): Promise<void> {
  const id = await withRetries(() => runtime.create({ id: `own-${name}` }))
  tell({ created: id })
  const message = `order ${id}`
  const begun = await withRetries(() => runtime.submit(id, message, { key: message }))
  if (begun.ok) tell({ sent: message, id })
  const taken = await withRetries(() => runtime.cancel(id))
  if (taken.ok) tell({ cancelled: id })
}

/** A message is acknowledged once it is durable; its key makes it one message however often it is sent. */
async function talk(runtime: Runtime, id: string): Promise<void> {
  for (let nth = 1; ; nth++) {
    const message = `order ${name}-${id}-${nth}`
    const send = () => withRetries(() => runtime.submit(id, message, { key: message }))
    const begun = await send()
    if (begun.ok) tell({ sent: message, id })
    else tell({ broken: `${message} was refused: ${begun.message}` })
    if (nth % 3 === 0) {
      const again = await send()
      if (again.ok && !again.repeated) tell({ broken: `${message} was accepted twice` })
    }
    await nap(10 + Math.random() * 30)
  }
}

async function answerAll(runtime: Runtime): Promise<void> {
  for (;;) {
    const { items } = await withRetries(() => runtime.pending({ limit: 100 }))
    await Promise.all(
      items.map(async ({ conversationId, callId, kind, endorsedBy }) => {
        const by = `${name}-${endorsedBy.length === 0 ? 'ann' : 'bob'}`
        const { verdict } = await withRetries(() =>
          kind === 'approval'
            ? runtime.approve(conversationId, callId, { by })
            : runtime.answer(conversationId, callId, { by: name }, { by }),
        )
        if (verdict === 'accepted') tell({ answered: callId, id: conversationId, by })
      }),
    )
    await nap(5)
  }
}

async function finish(runtime: Runtime): Promise<void> {
  void answerAll(runtime)
  let ids: string[] = []
  for (let quiet = 0; quiet < 3;) {
    const rows = await all((after) => runtime.list({ limit: 1000, ...after }))
    const { items: holds } = await runtime.pending()
    quiet = rows.every(({ status }) => status === 'idle') && holds.length === 0 ? quiet + 1 : 0
    ids = rows.map(({ id }) => id)
    await nap(60)
  }
  await watching?.flush()
  for (const id of ids) {
    for (let after = 0; ;) {
      const events = await runtime.events(id, after, 1000)
      if (events.length === 0) break
      tell({ log: id, events })
      after = events.at(-1)?.seq ?? after
    }
  }
  process.stdout.write('', () => process.exit(0))
}

async function all<T>(
  page: (after: {
    readonly after?: string
  }) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
): Promise<T[]> {
  const found: T[] = []
  for (let after: { readonly after?: string } = {}; ;) {
    const { items, next } = await page(after)
    found.push(...items)
    if (next === undefined) return found
    after = { after: next }
  }
}
