/**
 * A process with a runtime that does what it is told: `{ n, do: 'submit', with: ['c1', 'order one'] }` on a line of its
 * input, and the answer under the same number on a line of its output. Its tools can be made to wait at a place
 * (`PAUSE_AT=charge:before`) until it receives `{ go: true }`. `DIE_AFTER=approve` kills it as soon as it has reported
 * the verdict of the first `approve`.
 */
import { createInterface } from 'node:readline'
import { holdpoint, HoldpointError } from 'holdpoint'
import { desk } from './desk.ts'
import { crashPointStore } from './crash-point-store.ts'

interface Order {
  readonly n: number
  readonly do: string
  readonly with: readonly unknown[]
  readonly go?: true
}

const [place = '', effects = ''] = process.argv.slice(2)
const { PAUSE_AT: pauseAt, DIE_AFTER: dieAfter } = process.env
const go = Promise.withResolvers<void>()

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

tell({ begun: true })
const runtime = await holdpoint({
  store: await crashPointStore(place, { point: process.env['CRASH_AT'], bad: process.env['CRASH_STORE'] }),
  agents: [
    desk(effects, async (where) => {
      if (where !== pauseAt) return
      tell({ at: where })
      await go.promise
    }),
  ],
  // Short, for tests that wait for them.
  leaseMs: Number(process.env['LEASE_MS'] ?? 400),
  lookMs: Number(process.env['LOOK_MS'] ?? 40),
  onProblem: ({ error }) => tell({ problem: String(error) }),
})
const doors = runtime as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>

const orders = createInterface({ input: process.stdin })
orders.on('line', (line) => void obey(JSON.parse(line) as Order))
orders.on('close', () => process.exit(0)) // the parent is gone
tell({ ready: true })

async function obey(order: Order): Promise<void> {
  if (order.go) return go.resolve()
  try {
    tell({ n: order.n, answer: await doors[order.do]?.call(runtime, ...order.with) })
  } catch (error) {
    tell({ n: order.n, error: { code: HoldpointError.is(error) ? error.code : 'other', message: String(error) } })
  }
  if (order.do === dieAfter) process.kill(process.pid, 'SIGKILL')
}
