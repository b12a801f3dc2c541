/**
 * A process that stores files and sends them, to be killed. Its argument is the file of the store. Each line of its input is a
 * command, such as `{ bytes: 1000, pause: true, send: true }`: it uploads so many bytes in pieces, and waits for ever after the
 * first piece or sends the file in a message. `DIE_BEFORE_DOCUMENT` kills it between the bytes of a file and their document.
 */
import { createInterface } from 'node:readline'
import { agent, holdpoint, HoldpointError, type Model } from 'holdpoint'
import { crashPointStore } from './crash-point-store.ts'

interface Command {
  readonly bytes: number
  readonly pause?: boolean
  readonly send?: boolean
}

const PIECE = 65_536

const [place = ''] = process.argv.slice(2)
const silent: Model = {
  id: 'silent',
  async *stream() {
    yield { type: 'text', id: 't', delta: 'Seen.' }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}
const store = await crashPointStore(place, { point: process.env['CRASH_AT'] })
const hp = await holdpoint({
  store: {
    ...store,
    put: async (what) => {
      if (what.kind === 'file' && process.env['DIE_BEFORE_DOCUMENT']) process.kill(process.pid, 'SIGKILL')
      return store.put(what)
    },
  },
  agents: [agent({ name: 'desk', model: silent })],
  onProblem: () => {},
})

const commands = createInterface({ input: process.stdin })
commands.on('line', (line) => void execute(JSON.parse(line) as Command))
commands.on('close', () => process.exit(0)) // the parent has ended
tell({ ready: true })

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function* pieces({ bytes, pause = false }: Command): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += PIECE) {
    yield new Uint8Array(Math.min(PIECE, bytes - at)).fill(7)
    if (!pause) continue
    tell({ paused: true })
    await new Promise(() => {})
  }
}

async function execute(command: Command): Promise<void> {
  try {
    const { part, id } = await hp.files.upload(pieces(command), { mediaType: 'image/png', by: 'ada' })
    tell({ uploaded: id })
    if (command.send) tell({ sent: await hp.submit('c', [part], { by: 'ada', key: 'k' }) })
  } catch (error) {
    tell({ failed: HoldpointError.is(error) ? error.code : 'other', message: String(error) })
  }
}
