import type { Checked, JsonObject } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { agentFromConfig, checkAgentConfig, schemaChecks } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { check as onMainThread, why } from './json-schema-kit.ts'

const SLOW: JsonObject = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
const VALUE = { a: `${'a'.repeat(60)}!` }

const checks = schemaChecks({ checkMs: 50 })
const check = async (schema: JsonObject, value: unknown, tenant = 'acme'): Promise<Checked> =>
  checks.compileFor(tenant)(schema)(value)

test.each([
  [{ type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, { to: 'ada' }],
  [{ type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, {}],
  [
    { uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ],
  [{ pattern: '^[\\w-.]+$' }, 'a-b.c'],
  [{ items: [{ type: 'string' }] }, [1]],
  [{ $ref: '#' }, 1],
  [{ type: 'object' }, JSON.parse('{"__proto__":{}}')],
])('a thread says of %j and %j what the main thread says', async (schema, value) => {
  expect(why(await check(schema, value))).toBe(onMainThread(schema, value))
})

test('a schema that is too large is refused at once, before a thread sees it', () => {
  const compile = checks.compileFor('acme')
  expect(() => compile({ description: 'x'.repeat(70_000) })).toThrow(/bytes long, and 65536 are allowed/)
})

test('a schema that is wrong is found out by compiling it', async () => {
  expect(await checks.whyNot('acme', { type: 'objekt' })).toMatch(/^type: must be one of "array", "boolean"/)
  expect(await checks.whyNot('acme', { pattern: '(' })).toBe('the pattern "(" is not a regular expression')
  expect(await checks.whyNot('acme', { type: 'object' })).toBeUndefined()
})

test('a schema that takes too long to compile is given up', async () => {
  const names = Array.from({ length: 900 }, (_, nth) => [`p${nth}`, { type: 'string', minLength: nth }])
  const large = { type: 'object', properties: Object.fromEntries(names) }
  const hasty = schemaChecks({ compileMs: 5 })
  expect(await hasty.whyNot('acme', large)).toMatch(/^it could not be compiled within 5 ms of processor time/)
})

test('a pattern that takes for ever ends with an error, and the checks after it are done by another thread', async () => {
  const [slow, next] = await Promise.all([check(SLOW, VALUE), check(SLOW, { a: 'aaa' })])
  expect(why(slow)).toBe('it could not be checked within 50 ms of processor time. Make the schema simpler.')
  expect(next).toEqual({ ok: true, value: { a: 'aaa' } })
})

test('the slow checks of one tenant do not come before those of another', async () => {
  const order: string[] = []
  const slow = Array.from({ length: 4 }, () => check(SLOW, VALUE, 'umbrella').then(() => order.push('umbrella')))
  const quick = Array.from({ length: 4 }, () => check({ type: 'object' }, {}, 'acme').then(() => order.push('acme')))
  await Promise.all([...slow, ...quick])
  expect(order.slice(0, 5).filter((tenant) => tenant === 'acme')).toHaveLength(4)
})

test('a tenant with too many checks under way is told so, and others are not', async () => {
  const many = Array.from({ length: 300 }, () => check({ type: 'object' }, {}, 'umbrella'))
  const other = await check({ type: 'object' }, {}, 'acme')
  const refused = (await Promise.all(many)).filter(({ ok }) => !ok)
  expect(other.ok).toBe(true)
  expect(refused.length).toBeGreaterThan(50)
  expect(why(refused[0]!)).toBe('it could not be checked: 200 other checks are waiting. Try again later.')
})

const toolOf = (name: string, inputSchema: JsonObject): object => ({
  name,
  description: 'd',
  inputSchema,
  executionType: 'internal',
})
const config = (...tools: object[]): object => ({ name: 'desk', model: 'small', tools })
const env = { models: { small: scriptedModel([]) }, schemas: checks, tenant: 'acme' }

test('making an agent of JSON compiles nothing on the main thread; a new one is compiled on another', async () => {
  const wrong = config(toolOf('fine', { type: 'object' }), toolOf('wrong', { type: 'object', required: 'to' }))
  expect(agentFromConfig(wrong, env).tools).toHaveLength(2)
  await expect(checkAgentConfig(wrong, env)).rejects.toThrow(
    'agent.tools[1].inputSchema: is not a JSON Schema that can be used: required: must be an array.',
  )
  const made = await checkAgentConfig(config(toolOf('fine', { type: 'object', required: ['to'] })), env)
  expect(await made.tools[0]?.input.check({})).toEqual({ ok: false, why: 'to: is required' })
})

test('an agent and its tools have limits for schemas: each alone, and all together', () => {
  const wide = (count: number): JsonObject => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, nth) => [`p${nth}`, { type: 'string' }])),
  })
  const deep = Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ not: inner }), { type: 'object' })
  const refusal = (...schemas: readonly JsonObject[]): string => {
    try {
      agentFromConfig(config(...schemas.map((schema, nth) => toolOf(`t${nth}`, schema))), env)
      return 'it was taken'
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(refusal(wide(1900), wide(1900))).toBe('it was taken')
  expect(refusal(wide(2000))).toMatch(/^agent\.tools\[0\]\.inputSchema: is not .* it has more than 2000 nodes/)
  expect(refusal(deep)).toMatch(/^agent\.tools\[0\]\.inputSchema: is not .* is nested deeper than 32 levels/)
  expect(refusal(...Array.from({ length: 5 }, () => wide(1900)))).toMatch(
    /^agent\.tools: their schemas have 9510 nodes together, and 8000 are allowed/,
  )
  expect(refusal(...Array.from({ length: 5 }, () => ({ type: 'object', description: 'x'.repeat(60_000) })))).toMatch(
    /^agent\.tools: their schemas are \d+ characters together, and 262144 are allowed/,
  )
})
