/** An autonomous agent that uses an MCP server while it is in a space. */
import { expect, test } from 'vitest'
import { rawServer } from '../../../test/raw-mcp-server.ts'
import { eventually, startAgent } from './kit.ts'

test('a call to a server is not shown in the space, and only the agent gets its result', async () => {
  const raw = await rawServer()
  const round = {
    calls: [
      { name: 'enter_space', input: { space: 'trip' } },
      { name: 's.echo', input: { text: 'hi' } },
    ],
  }
  const here = await startAgent([round, 'Done.'], { servers: [{ name: 's', url: raw.url }] })
  const { spaces, agents } = here.runtime
  const ada = { kind: 'human', id: 'ada' } as const
  await spaces.create({ id: 'trip', name: 'Trip', by: ada, members: [{ member: { kind: 'agent', id: 'desk' } }] })
  await spaces.post('trip', 'Go', { from: ada })
  await eventually(async () => (await here.runtime.view('agent:desk'))?.status === 'idle' || undefined)

  expect(await here.outcome('agent:desk')).toMatchObject({ ok: true, value: 'said hi' })
  expect((await spaces.view('trip'))?.messages.map(({ kind }) => kind)).toEqual(['message'])
  expect(await agents.view('desk')).toMatchObject({ status: 'asleep' })
  await here.close()
  await raw.close()
})
