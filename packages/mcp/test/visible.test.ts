/** Calls of an MCP server's tools are silent by default. */
import { messagesOf } from '@holdpoint/core'
import { expect, onTestFinished, test } from 'vitest'
import { rawServer } from '../../../test/raw-mcp-server.ts'
import { calling, startAgent, over, storeInMemory } from './kit.ts'

test.each([
  ['by default', {}, 0],
  ['with visible: true', { visible: true }, 1],
])('%s (%j), a conversation shows %i of its calls', async (_when, said, count) => {
  const raw = await rawServer()
  onTestFinished(() => raw.close())
  const servers = [{ name: 's', url: raw.url, ...said }]
  const here = await startAgent(calling('s.echo', { text: 'hi' }), { store: storeInMemory(), servers })
  onTestFinished(() => here.close())
  await here.runtime.send('c', 'Go')
  await over(here, 'c')
  const view = await here.runtime.view('c')
  const shown = messagesOf(view!).flatMap((message) => (message.role === 'assistant' ? message.parts : []))
  expect(shown.filter(({ type }) => type === 'call')).toHaveLength(count)
  expect(view?.turns[0]?.steps[0]?.calls).toMatchObject([{ name: 's.echo', state: 'settled', streaming: true }])
})
