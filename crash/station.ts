/**
 * A process with a runtime that a test controls. Each line of its input is a command, such as
 * `{ n, do: 'submit', with: ['c1', 'order one'] }`, and a line of its output has the answer with the same `n`. With
 * `PAUSE_AT=charge:before` a tool waits there until the process receives `{ go: true }`. With `DIE_AFTER=approve` the
 * process kills itself after it has reported the first verdict.
 */
import { createInterface } from 'node:readline'
import { holdpoint, HoldpointError } from 'holdpoint'
import { desk } from './desk.ts'
import { crashPointStore } from './crash-point-store.ts'

interface Command {
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
  // Short, because tests wait for these times.
  leaseMs: Number(process.env['LEASE_MS'] ?? 400),
  lookMs: Number(process.env['LOOK_MS'] ?? 40),
  onProblem: ({ error }) => tell({ problem: String(error) }),
})
const methods = runtime as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>

const commands = createInterface({ input: process.stdin })
commands.on('line', (line) => void execute(JSON.parse(line) as Command))
commands.on('close', () => process.exit(0)) // the parent has ended
tell({ ready: true })

async function execute(command: Command): Promise<void> {
  if (command.go) return go.resolve()
  try {
    tell({ n: command.n, answer: await methods[command.do]?.call(runtime, ...command.with) })
  } catch (error) {
    tell({ n: command.n, error: { code: HoldpointError.is(error) ? error.code : 'other', message: String(error) } })
  }
  if (command.do === dieAfter) process.kill(process.pid, 'SIGKILL')
}
