/** The command's program: a module with agents, or one whose default export makes them with the store. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { programOf } from '../src/program.ts'

function module(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'app.mjs')
  writeFileSync(file, text)
  return file
}

test('a module exports agents, models and secrets', async () => {
  const read = await programOf(module(`export const agents = []; export const models = { small: { id: 'm' } }`))
  expect(await read(memoryStore())).toEqual({ agents: [], offer: { models: { small: { id: 'm' } } }, mcp: {} })
})

test('a module whose default export is a function is given the store, and its MCP servers are offered to agents as JSON', async () => {
  const store = memoryStore()
  const file = module(
    `export default async ({ store }) => ({ agents: [], mcp: { servers: { of: store }, face: 'face' } })`,
  )
  const { mcp, offer } = await (await programOf(file))(store)
  expect(mcp).toEqual({ servers: { of: store }, face: 'face' })
  expect(offer.mcp).toBe(mcp.servers)
})

test('without a module, or with one that has no list of agents, it is said what to do', async () => {
  await expect(programOf(undefined)).rejects.toThrow('HOLDPOINT_APP=./app.ts')
  const read = await programOf(module('export const agents = 1'))
  await expect(read(memoryStore())).rejects.toThrow('must export `agents`, a list of them')
})
