import { afterEach, expect, test, vi } from 'vitest'
import { mcpServers } from '../src/index.ts'
import { calling, startAgent, storeInMemory } from './kit.ts'
import { rawServer } from '../../../test/raw-mcp-server.ts'

afterEach(() => void vi.useRealTimers())

test('a connection that was unused for ten minutes is closed, and opened again when it is needed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let now = 1_000_000
  const raw = await rawServer()
  const scripts = [...calling('s.echo', { text: 'one' }), ...calling('s.echo', { text: 'two' })]
  const here = await startAgent(scripts, { servers: [{ name: 's', url: raw.url }], now: () => now })
  const connected = (): number => raw.asked.filter(({ rpc }) => rpc.method === 'initialize').length
  await here.runtime.send('one', 'Go')
  vi.advanceTimersByTime(60_000)
  expect(connected()).toBe(1)
  now += 601_000
  vi.advanceTimersByTime(60_000)
  await here.runtime.send('two', 'Go')
  expect(await here.outcome('two')).toEqual({ ok: true, value: 'said two' })
  expect(connected()).toBe(2)
  await here.close()
  await raw.close()
})

test('closed servers cannot be used', async () => {
  const mcp = mcpServers({ store: storeInMemory(), servers: [{ name: 's', url: 'https://x.test/mcp' }] })
  await mcp.close()
  await expect(mcp.status()).rejects.toThrow('The MCP servers are closed.')
})
