/** `agent` as people import it on Node: what it refuses, what applies where nothing is said, and what it runs on. */
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, chat, definePlugin, HoldpointError, nodePorts, tool } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const model = scriptedModel([])
const ping = tool({ name: 'ping', description: 'Ping', input: z.object({}), run: () => 'pong' })

describe('an agent is refused', () => {
  test.each<[what: string, wrong: object, message: string]>([
    ['without a name', { name: undefined }, 'An agent needs a "name".'],
    ['with an empty name', { name: '' }, 'An agent needs a "name".'],
    [
      'without a model',
      { model: undefined },
      'Agent "desk" needs a "model" with a stream() method. For an AI SDK provider, wrap it: aiSdkModel(',
    ],
    [
      'with a model of the AI SDK that was not wrapped',
      { model: { specificationVersion: 'v3', doStream: () => {} } },
      'wrap it: aiSdkModel(',
    ],
    ['with no steps', { maxSteps: 0 }, 'Agent "desk": "maxSteps" must be a whole number from 1, not 0.'],
    ['with half a step', { maxSteps: 1.5 }, '"maxSteps" must be a whole number from 1, not 1.5.'],
    ['with a limit in words', { maxParallel: '8' }, '"maxParallel" must be a whole number from 1, not "8".'],
    ['with a negative budget', { maxTokens: -1 }, '"maxTokens" must be a whole number from 1, not -1.'],
    [
      'with the same tool twice',
      { tools: [ping, ping] },
      'Agent "desk" has two tools named "ping". Rename one, or leave one out.',
    ],
    [
      'with the same plugin twice',
      { plugins: [definePlugin({ id: 'p' }), definePlugin({ id: 'p' })] },
      'Agent "desk" has two plugins with the id "p".',
    ],
  ])('%s', (_what, wrong, message) => {
    const define = () => agent({ name: 'desk', model, ...wrong })
    expect(define).toThrow(HoldpointError)
    expect(define).toThrow(message)
  })
})

describe('where nothing is said', () => {
  test('the defaults are the documented ones', () => {
    expect(agent({ name: 'desk', model })).toMatchObject({
      instructions: '',
      maxSteps: 8,
      maxTokens: undefined,
      maxParallel: 8,
      mode: 'auto',
      onToolError: 'continue',
      whileBusy: 'refuse',
      structuredFinalize: false,
      tools: [],
      plugins: [],
    })
  })

  test('it runs on Node’s own time and chance', async () => {
    const before = Date.now()
    const { session } = await chat(agent({ name: 'desk', model: scriptedModel(['hello']) }), 'go')
    expect(session.events[0]?.at).toBeGreaterThanOrEqual(before)
    expect(session.events[0]?.at).toBeLessThanOrEqual(Date.now())
    expect(session.id).toMatch(/^[\w-]{22}$/)
  })
})

test('tools of plugins stand beside the agent’s own', () => {
  const plugin = definePlugin({
    id: 'p',
    tools: [tool({ name: 'pong', description: 'Pong', input: z.object({}), run: () => 'ping' })],
  })
  expect(agent({ name: 'desk', model, tools: [ping], plugins: [plugin] }).tools.map(({ name }) => name)).toEqual([
    'ping',
    'pong',
  ])
})

test('a test puts time and chance in its own hands, one port at a time if it likes', () => {
  const ports = testPorts()
  const { ports: used } = agent({ name: 'desk', model, ports: { now: ports.now } })
  expect(used.now()).toBe(Date.UTC(2030, 0, 1))
  expect(used.id).toBe(nodePorts.id)
})

test('raw JSON Schemas can be asked for as structured output', async () => {
  const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
  const scripted = scriptedModel(['{"total":5}', '{"total":"five"}'])
  const desk = agent({ name: 'desk', model: scripted, output: { name: 'sum', schema }, ports: testPorts() })
  expect(await chat(desk, 'go')).toMatchObject({ status: 'done', output: { total: 5 } })
  expect(await chat(desk, 'go')).toMatchObject({ status: 'failed', reason: 'output_invalid', output: undefined })
  expect(scripted.requests[0]?.output).toMatchObject({ name: 'sum', schema })
})

test.each([
  ['tools that are no list', { tools: 5 }, /"tools" must be a list of tools/],
  ['a tool that tool() did not make', { tools: [{ name: 'x' }] }, /"tools" must be a list of tools/],
  ['plugins that are no list', { plugins: 5 }, /"plugins" must be a list of plugins/],
  ['a setting that does not exist', { maxStep: 3 }, /there is no setting "maxStep"/],
  ['a stop condition that is none', { stopWhen: 5 }, /"stopWhen" must be a function/],
  ['an encoder that is none', { encodeOutcome: 5 }, /"encodeOutcome" must be a function/],
  ['attempts that are no number', { retry: { attempts: 'x' } }, /"retry.attempts" must be a whole number from 1/],
  ['settings that are none', { settings: 5 }, /"settings" must be an object/],
])('an agent with %s is refused when it is defined', (_what, options, message) => {
  expect(() => agent({ name: 'desk', model: scriptedModel([]), ...(options as object) })).toThrow(message)
})
