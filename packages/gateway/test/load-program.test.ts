/** The operator's module: it exports agents, or a default function that creates them with the store. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { HoldpointError, memoryStore } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { loadProgram } from '../src/load-program.ts'

function module(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'app.mjs')
  writeFileSync(file, text)
  return file
}

test('a module exports agents, models and secrets', async () => {
  const read = await loadProgram(module(`export const agents = []; export const models = { small: { id: 'm' } }`))
  expect(await read(memoryStore())).toEqual({
    agents: [],
    storedAgentsOptions: { models: { small: { id: 'm' } } },
    mcp: {},
    runtime: {},
  })
})

test('a default function receives the store, and agents created over HTTP may use its MCP servers', async () => {
  const store = memoryStore()
  const file = module(
    `export default async ({ store }) => ({ agents: [], mcp: { servers: { of: store }, ownServer: 'ownServer' } })`,
  )
  const { mcp, storedAgentsOptions } = await (await loadProgram(file))(store)
  expect(mcp).toEqual({ servers: { of: store }, ownServer: 'ownServer' })
  expect(storedAgentsOptions.mcp).toBe(mcp.servers)
})

test('a module may export private hosts, a scope function and callbacks', async () => {
  const file = module(
    `export const agents = []; export const privateHosts = ['orders.internal']
     export const scope = ({ by }) => ({ user: by }); export const on = { held() {} }`,
  )
  const { storedAgentsOptions, runtime, on } = await (await loadProgram(file))(memoryStore())
  expect(storedAgentsOptions).toEqual({ models: {}, privateHosts: ['orders.internal'] })
  expect(runtime).toEqual({ scope: expect.any(Function) })
  expect(on).toEqual({ held: expect.any(Function) })
})

test('a module may export what judges calls by rules, or switch rules off', async () => {
  const own = await (await loadProgram(module('export const rules = { judge: () => ({}) }')))(memoryStore())
  expect(own.runtime.rules).toEqual({ judge: expect.any(Function) })
  const off = await (await loadProgram(module('export const rules = false')))(memoryStore())
  expect(off.runtime).toEqual({ rules: false })
})

test('without a module, or with a wrong path, the error says what to do in one line', async () => {
  await expect(loadProgram(undefined)).rejects.toThrow('HOLDPOINT_APP=./app.ts')
  await expect(loadProgram('./nope.ts')).rejects.toThrow(
    `HOLDPOINT_APP is ./nope.ts, but there is no file ${resolve('nope.ts')}.`,
  )
  const imports = module(`import 'a-package-that-is-not-there'`)
  await expect(loadProgram(imports)).rejects.toSatisfy(
    (error) => HoldpointError.is(error) && error.message.includes("Cannot find package 'a-package-that-is-not-there'"),
  )
  // An error in the module's own code keeps its type and stack trace.
  await expect(loadProgram(module('throw new RangeError("mine")'))).rejects.toThrow(RangeError)
})

test.each([
  ['export const agent = 1', '"agent", which is not a setting. It may export agents, models,'],
  ['export const agents = 1', '`agents` of '],
  ['export const models = []', '`models` of '],
  ['export const privateHosts = "a"', '`privateHosts` of '],
  ['export const scope = {}', '`scope` of '],
  ['export const rules = "cedar"', '`rules` of '],
  ['export const rules = { judge: 1 }', '`rules` of '],
  ['export default {}', 'must be a function ({ store })'],
  ['export default () => ({}); export const agents = []', 'so the export "agents" is ignored'],
])('%s is refused', async (text, says) => {
  await expect(loadProgram(module(text))).rejects.toThrow(says)
})

test.each([
  ['export default () => undefined', 'must return an object'],
  ['export default () => ({ models: {}, tools: [] })', '"tools", which is not a setting'],
])('%s is refused after the call', async (text, says) => {
  await expect((await loadProgram(module(text)))(memoryStore())).rejects.toThrow(says)
})
