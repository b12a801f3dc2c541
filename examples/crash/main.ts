import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, Session, tool, type Tool, type ToolContext } from 'holdpoint'
import { z } from 'zod'
import { fileStore } from './file-store.ts'

const [, , given] = process.argv // the process that dies is this program with a folder to work in
const folder = given ?? mkdtempSync(join(tmpdir(), 'crash-'))
const [log, printed] = [join(folder, 'log.json'), join(folder, 'printed.txt')]
const pages = () => readFileSync(printed, 'utf8').trim().split('\n')

// #region tool
const print = {
  name: 'print',
  description: 'Print a page',
  input: z.object({}),
  run: ({ call }: ToolContext) => {
    appendFileSync(printed, `${call.id}\n`) // the page comes out …
    if (given) process.kill(process.pid, 'SIGKILL') // … and the process dies before it can say so
    return `printed in attempt ${call.attempt}`
  },
}
// #endregion

if (given) {
  const model = scriptedModel([{ calls: [{ name: 'print' }] }])
  const session = await Session.open(agent({ name: 'desk', model, tools: [tool(print)] }), {
    store: fileStore(log),
    id: 'c',
  })
  await session.send('Print it')
  process.exit(1) // not reached
}

// #region resume
const died = spawnSync(process.execPath, [...process.execArgv, import.meta.filename, folder])
console.log(`the process ended by ${died.signal}, with ${pages().length} page printed`)

const resume = async (policy: string, how: Tool) => {
  const copy = `${log}.${policy}` // each policy meets the same log
  copyFileSync(log, copy)
  const desk = agent({ name: 'desk', model: scriptedModel(['Done.']), tools: [how] })
  const session = await Session.open(desk, { store: fileStore(copy), id: 'c' })
  const { status, steps, holds } = await session.continue()
  console.log(`${policy}: ${status}`, JSON.stringify(steps[0]?.calls[0]?.outcome ?? holds[0]?.accepts))
  return session
}
const found = ({ call }: ToolContext) =>
  pages().includes(call.id) ? ({ happened: true, result: 'in the tray' } as const) : ({ happened: false } as const)

await resume('fail', tool({ ...print, onLost: 'fail' }))
await resume('verify', tool({ ...print, onLost: found }))
await resume('retry', tool({ ...print, onLost: 'retry' }))
console.log(`pages: ${pages().length}, ids: ${new Set(pages()).size}`)
const asked = await resume('ask', tool({ ...print, onLost: 'ask' }))
await asked.answer(asked.holds[0]?.callId ?? '', 'I saw it come out', { by: 'grace' })
const { steps } = await asked.continue()
console.log('answered:', JSON.stringify(steps[0]?.calls[0]?.outcome))
// #endregion
assert.equal(asked.status, 'completed')
rmSync(folder, { recursive: true })
