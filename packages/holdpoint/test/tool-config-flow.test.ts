/** How a call of a tool in JSON gets its result: the decision flow, and the examples as they are written. */
import { readdirSync, readFileSync } from 'node:fs'
import { tool, toolFromConfig, type ToolConfig } from 'holdpoint'
import { expect, test } from 'vitest'
import { json, serve } from './http-tool-kit.ts'
import { called, configs, refusal } from './tool-config-kit.ts'

/** The JSON of the tool system that this configuration follows: each file has the fields of one of its examples. */
const written = new URL('../../../examples/seed-002/', import.meta.url)
test.each(readdirSync(written).filter((file) => file.endsWith('.json') && file !== 'mcp.json'))(
  'the example %s is accepted as it is written',
  (file) => {
    const config = JSON.parse(readFileSync(new URL(file, written), 'utf8')) as ToolConfig
    expect(toolFromConfig(config)).toMatchObject({ name: config.name, visible: config.visible })
  },
)

test.each([
  ['external', configs.external],
  ['space', configs.space],
  ['gateway', { ...configs.gateway, execution: undefined }],
])('an async %s call without a url is told as pending, and waits a week', async (_kind, config) => {
  const { holds, outcome } = await called(toolFromConfig({ ...config, isAsync: true }), { city: 'Oslo' })
  const callId = holds[0]?.callId
  expect(outcome).toEqual({
    ok: true,
    value: { status: 'pending', toolCallId: callId, pendingToolCallId: callId },
  })
  expect(holds).toMatchObject([{ async: true, late: 'inbox', timeoutMs: 7 * 86_400_000 }])
})

test('the timeout of an async call is not its time to live: that is expiresAfter', () => {
  const made = { ...configs.external, isAsync: true, timeout: 1000 }
  expect(toolFromConfig(made).waiting.timeoutMs).toBe(7 * 86_400_000)
  expect(toolFromConfig({ ...made, expiresAfter: 60_000 }).waiting.timeoutMs).toBe(60_000)
  expect(refusal({ ...configs.external, expiresAfter: 60_000 }).message).toBe(
    'tool.expiresAfter: is only for async tools. The model waits for this one: use timeout.',
  )
})

test.each(['gateway', 'external', 'space'] as const)('a %s tool with a url makes the request', async (kind) => {
  const server = await serve(json({ degrees: 7 }))
  const host = `127.0.0.1:${server.port}`
  const config = { ...configs[kind], execution: { url: `http://${host}/now` }, isAsync: true }
  const { outcome } = await called(toolFromConfig(config, { privateHosts: [host] }), { city: 'Oslo' })
  expect(outcome).toEqual({ ok: true, value: { status: 200, body: { degrees: 7 } } })
})

test.each([
  ['external', 'external'],
  ['space', 'client'],
] as const)('late has the same default for a tool in JSON (%s) and in code (%s)', (kind, executor) => {
  const inCode = tool({ name: 'look', description: 'Look', input: { type: 'object' }, executor })
  expect(inCode.waiting.late).toBe('inbox')
  expect(toolFromConfig(configs[kind]).waiting.late).toBe(inCode.waiting.late)
})

test.each(['external', 'space'] as const)('a %s tool may be streaming, and is not by default', async (kind) => {
  expect(toolFromConfig(configs[kind]).streaming).toBe(false)
  const made = toolFromConfig({ ...configs[kind], streaming: true })
  expect((await called(made, { city: 'Oslo' })).holds).toMatchObject([{ streaming: true }])
})

test('a gateway tool without a url waits for a result from outside, and times out', async () => {
  const waits = toolFromConfig({ ...configs.gateway, execution: undefined })
  const { holds, session, ports } = await called(waits, { city: 'Oslo' })
  expect(holds).toMatchObject([{ kind: 'external', timeoutMs: 30_000, late: 'inbox' }])
  await ports.clock.advance(30_000)
  const { steps } = await session.continue()
  const error = { code: 'expired', message: 'Tool timed out after 30000ms' }
  expect(steps[0]?.calls[0]?.outcome).toEqual({ ok: false, error })
})

test('a tool may leave out its description and its schema: then any object fits', async () => {
  const { outcome, model } = await called(toolFromConfig({ name: 'show', executionType: 'internal' }), { any: 1 })
  expect(model.requests[0]?.tools).toMatchObject([{ description: 'show', inputSchema: { type: 'object' } }])
  expect(outcome).toMatchObject({ ok: true, value: { success: true, args: { any: 1 } } })
})
