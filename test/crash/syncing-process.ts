/**
 * A process on a SQLite file, on the sources. It opens it, closes it at once, opens it again and sends messages for as long as they are
 * refused. A line for each problem and each answer; the arguments are the file and the switch that makes syncs fail.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { messageWithCauses } from '@holdpoint/core'
import { agent, holdpoint, type Runtime } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'

const [file = '', failing = ''] = process.argv.slice(2)

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const open = (): Promise<Runtime> =>
  holdpoint({
    store: file,
    agents: [agent({ name: 'desk', model: scriptedModel(() => 'Hi.') })],
    leaseMs: 600,
    onProblem: ({ error }) => tell({ problem: messageWithCauses(error) }),
  })

for (let nth = 0; nth < 5; nth++) await (await open()).close()
tell({ closed: true })
const hp = await open()
await hp.send('c', 'Hello')
writeFileSync(failing, '')
const refused = await hp.submit('c', 'Hello again', { key: 'again' }).then(
  ({ ok }) => `accepted: ${ok}`,
  (error: unknown) => messageWithCauses(error),
)
tell({ refused })
rmSync(failing)
tell({ sent: await hp.send('c', 'Hello again', { key: 'again' }) })
await hp.close()
