/** Agents as plain JSON: what they become, what is refused with its path, and that a runtime takes them up as they come. */
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agentFromConfig, chat, definePlugin, memoryStore, Runtime, type AgentConfig, type ConfigEnv } from 'holdpoint'
import { describe, expect, test } from 'vitest'

const inputSchema = { type: 'object' }
const clock = { name: 'clock.show', description: 'Show a clock', inputSchema, executionType: 'internal' } as const
const config: AgentConfig = { name: 'desk', model: 'small', instructions: 'Be brief.', tools: [clock] }
const models = { small: scriptedModel([]), large: scriptedModel([]) }
const env: ConfigEnv = { models }

test('an agent is made of its configuration and of what the operator offers', async () => {
  const model = scriptedModel([{ calls: [{ name: 'clock.show', input: { at: 7 } }] }, 'There.'])

  const { text, steps } = await chat(agentFromConfig(config, { models: { small: model } }), 'Time?')

  expect(text).toBe('There.')
  expect(steps[0]?.calls).toMatchObject([
    { name: 'clock.show', outcome: { ok: true, value: { success: true, args: { at: 7 } } } },
  ])
  expect(JSON.stringify(model.requests[0]?.prompt)).toContain('Be brief.')
})

test('everything that may be said is said by the same words', () => {
  const made = agentFromConfig(
    {
      ...config,
      description: 'Answers the phone',
      maxSteps: 3,
      whileBusy: 'queue',
      audit: { keep: 60_000 },
      settings: { temperature: 0.5, maxOutputTokens: 100, stopSequences: ['END'], reasoning: 'low', seed: 1 },
      context: {
        budget: { tokens: 5000, reserve: 100 },
        window: { turns: 5 },
        retention: { last: 2 },
        ownWords: { after: 3 },
        summarize: { model: 'large', from: 0.5, instructions: 'Keep names.' },
      },
    } satisfies AgentConfig,
    env,
  )
  expect(made).toMatchObject({
    name: 'desk',
    maxSteps: 3,
    whileBusy: 'queue',
    audit: { keepMs: 60_000 },
    settings: { temperature: 0.5, maxOutputTokens: 100, stopSequences: ['END'], reasoning: 'low', seed: 1 },
    context: {
      budget: { tokens: 5000, reserve: 100 },
      window: { turns: 5 },
      ownWordsAfter: 3,
      summarize: { from: 0.5 },
    },
  })
  expect(made.model).toBe(models.small)
  expect(made.context.summarize?.model).toBe(models.large)
})

test('MCP servers of an agent become a plugin, by what the operator offers, for the tenant whose agent it is', () => {
  const asked: unknown[] = []
  const plugin = definePlugin({ id: 'mcp' })
  const mcp = { pluginFor: (...given: readonly unknown[]) => (asked.push(given), plugin) }
  const mcpServers = [{ name: 'tracker', url: 'https://tracker.acme.test/mcp' }]
  const made = agentFromConfig({ ...config, mcpServers }, { ...env, mcp, tenant: 'acme' })
  expect(asked).toEqual([['acme', mcpServers, {}]])
  expect(made.plugins).toEqual([plugin])
  agentFromConfig({ ...config, mcp: { servers: mcpServers } }, { ...env, mcp, tenant: 'acme' })
  expect(asked).toEqual([
    ['acme', mcpServers, {}],
    ['acme', mcpServers, {}],
  ])
  expect(() => agentFromConfig({ ...config, mcpServers, mcp: { servers: [] } }, { ...env, mcp })).toThrow(
    'agent.mcp: is an alias of mcpServers: use only one of them.',
  )
  expect(() => agentFromConfig({ ...config, mcp: {} }, { ...env, mcp })).toThrow('agent.mcp.servers: is missing.')
  expect(() => agentFromConfig({ ...config, mcpServers }, env)).toThrow(
    'mcpServers: cannot be used here: the operator does not offer MCP',
  )
})

describe('what is refused, and where it stands', () => {
  test.each<[what: string, change: object, message: string]>([
    ['no name', { name: undefined }, 'agent.name: is missing.'],
    ['an empty name', { name: '' }, 'agent.name: must not be empty.'],
    ['a name of two lines', { name: 'a\nb' }, 'agent.name: must be one line, without tabs.'],
    ['a model that is not offered', { model: 'huge' }, 'agent.model: is not one of the models here: small, large.'],
    ['a model that objects inherit', { model: 'toString' }, 'agent.model: is not one of the models'],
    ['a model of its own', { model: { url: 'https://evil.test' } }, 'agent.model: must be text, not an object.'],
    [
      'instructions without end',
      { instructions: 'x'.repeat(200_001) },
      'agent.instructions: is 200001 characters long',
    ],
    ['steps without end', { maxSteps: 1e9 }, 'agent.maxSteps: must be a whole number from 1 to 1000'],
    ['tools that are no list', { tools: {} }, 'agent.tools: must be a list, not an object.'],
    ['a tool that is wrong', { tools: [clock, { ...clock, timeout: -1 }] }, 'agent.tools[1].timeout: must be a whole'],
    ['a tool twice', { tools: [clock, clock] }, 'agent: Agent "desk" has two tools named "clock.show".'],
    ['129 tools', { tools: Array.from({ length: 129 }, () => clock) }, 'agent.tools: has 129 entries, and 128 are'],
    [
      'headers for the vendor',
      { settings: { headers: { a: 'b' } } },
      'agent.settings.headers: can only be set by the operator',
    ],
    [
      'what only a vendor knows',
      { settings: { provider: {} } },
      'agent.settings.provider: can only be set by the operator',
    ],
    ['an unknown setting', { settings: { heat: 1 } }, 'agent.settings.heat: is not known.'],
    ['a setting in words', { settings: { temperature: 'hot' } }, 'agent.settings.temperature: must be a number'],
    ['a window of two kinds', { context: { window: { turns: 1, tokens: 1 } } }, 'agent.context.window: takes one of'],
    ['a budget of nothing', { context: { budget: {} } }, 'agent.context.budget.tokens: is missing.'],
    ['a part above the whole', { context: { summarize: { from: 2 } } }, 'agent.context.summarize.from: must be a part'],
    ['code', { context: { count: 'x' } }, 'agent.context.count: is not known.'],
    ['hooks', { hooks: {} }, 'agent.hooks: is not known.'],
    ['an audit in words', { audit: { keep: '1 day' } }, 'agent.audit.keep: must be a whole number'],
    ['another way to be busy', { whileBusy: 'drop' }, 'agent.whileBusy: must be one of refuse, queue, supersede.'],
    [
      'a secret in its instructions',
      { instructions: { $secret: 'A' } },
      'agent.instructions.$secret: refers to a secret',
    ],
  ])('%s', (_what, change, message) => {
    let error: unknown
    try {
      agentFromConfig({ ...config, ...change }, env)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'config-invalid', message: expect.stringContaining(message) })
  })

  test.each(['__proto__', 'constructor', 'prototype'])('%s as a name', (name) => {
    const text = `{"name": "desk", "model": "small", "tools": [{"${name}": {"polluted": true}}]}`
    expect(() => agentFromConfig(JSON.parse(text), env)).toThrow(`agent.tools[0].${name}: is not allowed as a name.`)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

test('an agent that was defined while the runtime runs answers, and answers differently once it was changed', async () => {
  const made = new Map<string, ReturnType<typeof agentFromConfig>>()
  const define = (says: string): void => {
    const scripts = Array.from({ length: 9 }, () => says)
    made.set('acme/desk', agentFromConfig(config, { models: { small: scriptedModel(scripts) }, tenant: 'acme' }))
  }
  const runtime = await Runtime.open({
    store: memoryStore(),
    ports: testPorts(),
    drive: true,
    agentFor: async (tenant, name) => made.get(`${tenant}/${name}`),
  })
  const acme = runtime.tenant('acme')
  await expect(acme.send('c', 'Hi', { agent: 'desk' })).rejects.toMatchObject({ code: 'agent-missing' })
  define('Hello.')
  expect(await acme.send('c', 'Hi', { agent: 'desk' })).toMatchObject({ text: 'Hello.' })
  define('Good day.')
  expect(await acme.send('c', 'Hi')).toMatchObject({ text: 'Good day.' })
  await expect(runtime.send('c', 'Hi', { agent: 'desk' })).rejects.toMatchObject({ code: 'agent-missing' })
  await runtime.close()
})
