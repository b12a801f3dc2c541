import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, tool, type Tool, type ToolContext } from 'holdpoint'
import { z } from 'zod'

const [, , given] = process.argv // the process that dies is this program, started with a folder
const folder = given ?? mkdtempSync(join(tmpdir(), 'crash-'))
const [store, printed] = [join(folder, 'store'), join(folder, 'printed.txt')]
const pages = () => readFileSync(printed, 'utf8').trim().split('\n')

// #region tool
const print = {
  name: 'print',
  description: 'Print a page',
  input: z.object({}),
  run: ({ call }: ToolContext) => {
    appendFileSync(printed, `${call.id}\n`) // the page is printed …
    if (given) process.kill(process.pid, 'SIGKILL') // … and the process dies before it returns
    return `printed in attempt ${call.attempt}`
  },
}
// #endregion

if (given) {
  mkdirSync(store)
  const model = scriptedModel([{ calls: [{ name: 'print' }] }])
  const hp = await holdpoint({
    store: join(store, 'desk.db'),
    agents: [agent({ name: 'desk', model, tools: [tool(print)] })],
  })
  await hp.send('c', 'Print it')
  process.exit(1) // not reached
}

// #region resume
const died = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, folder])
console.log(`the process ended by ${died.signal}, with ${pages().length} page printed`)

const resume = async (policy: string, how: Tool) => {
  const copy = join(folder, policy) // each policy starts from the same file
  cpSync(store, copy, { recursive: true })
  const desk = agent({ name: 'desk', model: scriptedModel(['Done.']), tools: [how] })
  const hp = await holdpoint({ store: join(copy, 'desk.db'), agents: [desk] }) // continues automatically
  const { status, steps, holds } = await hp.continue('c') // only waits
  console.log(`${policy}: ${status}`, JSON.stringify(steps[0]?.calls[0]?.outcome ?? holds[0]?.accepts))
  return hp
}
const found = ({ call }: ToolContext) =>
  pages().includes(call.id) ? ({ happened: true, result: 'in the tray' } as const) : ({ happened: false } as const)

const done = [
  await resume('fail', tool({ ...print, onLost: 'fail' })),
  await resume('verify', tool({ ...print, onLost: found })),
  await resume('retry', tool({ ...print, onLost: 'retry' })),
]
console.log(`pages: ${pages().length}, ids: ${new Set(pages()).size}`)
const asked = await resume('ask', tool({ ...print, onLost: 'ask' }))
for (const { callId } of (await asked.pending()).items) await asked.answer('c', callId, 'I saw it come out')
const { status, steps } = await asked.continue('c')
console.log('answered:', JSON.stringify(steps[0]?.calls[0]?.outcome))
// #endregion
assert.equal(status, 'done')
for (const hp of [...done, asked]) await hp.close()
rmSync(folder, { recursive: true })
