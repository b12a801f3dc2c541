/** Approval of calls to a server's tools: for all tools, for single ones, and by a function that gets the call. */
import { afterEach, expect, test } from 'vitest'
import type { ToolContext } from '@holdpoint/core'
import { checkConfigServer, checkServer } from '../src/client/server-config.ts'
import { startAgent, storeInMemory } from './kit.ts'
import { ECHO, rawServer } from '../../../test/raw-mcp-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}

/** Which of two calls of `echo` and one of `wipe` are held with these settings. */
async function held(settings: object): Promise<readonly unknown[]> {
  const raw = keep(await rawServer())
  raw.tools = [ECHO, { ...ECHO, name: 'wipe' }]
  const script = {
    calls: [
      { name: 's.echo', input: { text: 'hi' } },
      { name: 's.echo', input: { text: 'secret' } },
      { name: 's.wipe', input: { text: 'all' } },
    ],
  }
  const servers = [{ name: 's', url: raw.url, ...settings }]
  const here = keep(await startAgent([script, 'Done.'], { store: storeInMemory(), servers }))
  const { holds } = await here.runtime.send('c', 'Go')
  return holds.map(({ name, input, reason }) => [name, (input as { text: string }).text, ...(reason ? [reason] : [])])
}

const isSecret = ({ input }: ToolContext): boolean => (input as { text: string }).text === 'secret'

test.each([
  [{}, []],
  [
    { approval: true },
    [
      ['s.echo', 'hi'],
      ['s.echo', 'secret'],
      ['s.wipe', 'all'],
    ],
  ],
  [{ approvalByTool: { wipe: 'required' } }, [['s.wipe', 'all']]],
  [
    { approvalByTool: { wipe: { required: true, reason: 'It cannot be undone.' } } },
    [['s.wipe', 'all', 'It cannot be undone.']],
  ],
  [{ approval: 'required', approvalByTool: { echo: false } }, [['s.wipe', 'all']]],
  [{ approval: isSecret }, [['s.echo', 'secret']]],
  [
    { approval: 'required', approvalByTool: { echo: async (context: ToolContext) => isSecret(context) } },
    [
      ['s.echo', 'secret'],
      ['s.wipe', 'all'],
    ],
  ],
])('%o', async (settings, waits) => {
  expect(await held(settings)).toEqual(waits)
})

test('an approval function that throws or returns nothing allows no call', async () => {
  const broken = (): never => {
    throw new Error('no database')
  }
  expect(await held({ approvalByTool: { wipe: broken } })).toEqual([
    ['s.wipe', 'all', 'The approval check failed: no database'],
  ])
  expect(await held({ approvalByTool: { wipe: () => 'yes' } })).toHaveLength(1)
})

test('agents as JSON can set approval for single tools, but not with functions', () => {
  const server = { name: 's', url: 'https://mcp.test/' }
  expect(checkConfigServer({ ...server, approvalByTool: { wipe: 'required' } })).toMatchObject({
    approvalByTool: { wipe: 'required' },
  })
  expect(() => checkConfigServer({ ...server, approval: () => true })).toThrow('"approval"')
  expect(() => checkConfigServer({ ...server, approvalByTool: { wipe: 'maybe' } })).toThrow('"approvalByTool.wipe"')
})

test('an approval rule for a tool that is not allowed is refused', () => {
  expect(() =>
    checkServer({ name: 's', url: 'https://mcp.test/', allowedTools: ['wipe'], approvalByTool: { wpie: 'required' } }),
  ).toThrow('"approvalByTool" names "wpie", which is not in "allowedTools"')
})
