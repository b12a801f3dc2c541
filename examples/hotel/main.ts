import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@holdpoint/client'
import type { SpaceView } from '@holdpoint/spaces/view'

const folder = mkdtempSync(join(tmpdir(), 'hotel-'))
const key = randomUUID() + randomUUID()
let port = '0'

async function start(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const program = join(import.meta.dirname, 'concierge.ts')
  const child = spawn(process.execPath, [...process.execArgv, program, folder, port, key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  const url = text.toString().trim()
  port = new URL(url).port // it restarts on the same port
  return { child, url }
}

const first = await start()
// #region ask
const client = connect({ url: first.url, key, attempts: 20 })
await client.spaces.create({
  id: 'tokyo',
  name: 'Trip to Tokyo',
  by: 'ada',
  members: [{ member: { kind: 'agent', id: 'concierge' } }],
})
const space = client.space('tokyo')
space.subscribe(() => {}) // a page draws `space.view` here
await space.post('Please book a hotel in Tokyo.', { from: { kind: 'human', id: 'ada' } })
// #endregion

// #region meanwhile
const asked = await seen(({ messages }) =>
  messages.find((each) => each.kind === 'tool' && each.status === 'requires_action'),
)
await client.agents.trigger('concierge', { id: 'flight-7', name: 'flight.delayed', data: { minutes: 60 } })
await seen(({ messages, active }) => messages.length === 4 && active.length === 0)
// #endregion
assert(asked.kind === 'tool')

// #region killed
first.child.kill('SIGKILL') // no process is running …
await once(first.child, 'exit')
const answering = space.answer(asked.toolCallId, { confirmed: true }, { from: { kind: 'human', id: 'ada' } })
const second = await start() // … until it is restarted; then the answer is accepted
console.log('the answer was', (await answering).verdict)
await seen(({ messages, active }) => messages.length === 6 && active.length === 0)
// #endregion

for (const message of space.view.messages)
  if (message.kind === 'message') console.log(`${message.from.id}: ${message.text}`)
  else console.log(`  ${message.agent} used ${message.name}: ${message.status}, ${JSON.stringify(message.output)}`)
const bookings = readFileSync(join(folder, 'bookings.txt'), 'utf8').trim().split('\n')
console.log(`${bookings.length} booking`)
assert.equal(bookings.length, 1)
assert.deepEqual(await client.agents.life('concierge').then((life) => life?.waiting), 0)

space.close()
second.child.kill('SIGKILL')
await once(second.child, 'exit')
rmSync(folder, { recursive: true })

function seen<T>(look: (view: SpaceView) => T | undefined | false): Promise<T> {
  return new Promise((resolve) => {
    const check = (view: SpaceView): void => {
      const found = look(view)
      if (found === undefined || found === false) return
      leave()
      resolve(found)
    }
    const leave = space.subscribe(check)
    check(space.view)
  })
}
