/** The MCP inspector, headless, on our server. */
import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startServer, KEY } from './test-server.ts'
import { storeInMemory } from './kit.ts'

const folder = dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json')))

async function inspect(url: string, ...args: readonly string[]): Promise<unknown> {
  const cli = join(folder, 'clients/launcher/build/index.js')
  const given = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${KEY}`, ...args]
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...given])
  return JSON.parse(stdout)
}

test('lists our tools and calls them', async () => {
  const there = await startServer(storeInMemory())
  const listed = (await inspect(there.url, '--method', 'tools/list')) as { tools: { name: string }[] }
  expect(listed.tools.map(({ name }) => name)).toContain('add')
  const call = ['--method', 'tools/call', '--tool-name', 'add', '--tool-arg', 'a=2', '--tool-arg', 'b=40']
  expect(await inspect(there.url, ...call)).toMatchObject({ structuredContent: { sum: 42 } })
  await there.close()
}, 240_000)
