/** `tool` and `internalTool` as people import them on Node: raw JSON Schema included. */
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, chat, HoldpointError, internalTool, tool, type JsonObject, type Tool } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

async function tried(made: Tool, input: JsonObject) {
  const model = scriptedModel([{ calls: [{ name: made.name, input }] }, 'done'])
  const { steps } = await chat(agent({ name: 'desk', model, tools: [made], ports: testPorts() }), 'go')
  return { model, outcome: steps[0]?.calls[0]?.outcome }
}

describe('a tool declared with a raw JSON Schema', () => {
  const schema: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      to: { type: 'string', minLength: 1 },
      copies: { type: 'integer', maximum: 3, default: 1 },
      'x-kept': { description: 'ünïcode' },
    },
    required: ['to'],
    additionalProperties: false,
  }
  const send = tool({ name: 'mail.send', description: 'Send', input: schema, run: ({ input }) => ({ sent: input }) })

  test('hands it to the model byte for byte: the same object, unchanged by being used', async () => {
    const before = JSON.stringify(schema)
    const { model } = await tried(send, { to: 'ada' })
    const [shown] = model.requests[0]?.tools ?? []
    expect(shown?.kind === 'function' && shown.inputSchema).toBe(schema)
    expect(JSON.stringify(schema)).toBe(before)
  })

  test('is run with exactly what fits, nothing filled in', async () => {
    expect((await tried(send, { to: 'ada', copies: 2 })).outcome).toEqual({
      ok: true,
      value: { sent: { to: 'ada', copies: 2 } },
    })
    expect((await tried(send, { to: 'ada' })).outcome).toEqual({ ok: true, value: { sent: { to: 'ada' } } })
  })

  test.each<[JsonObject, RegExp]>([
    [{}, /to/],
    [{ to: '' }, /to/],
    [{ to: 'ada', copies: 4 }, /copies/],
    [{ to: 'ada', bcc: 'eve' }, /bcc/],
  ])('is not run with %j, and the model is told where it went wrong', async (input, where) => {
    expect((await tried(send, input)).outcome).toMatchObject({
      ok: false,
      error: { code: 'invalid-input', message: expect.stringMatching(where) },
    })
  })

  test('checks what it gives back as well', async () => {
    const count = (value: unknown) =>
      tool({ name: 'count', description: 'Count', input: z.object({}), output: { type: 'integer' }, run: () => value })
    expect((await tried(count(5), {})).outcome).toEqual({ ok: true, value: 5 })
    expect((await tried(count('five'), {})).outcome).toMatchObject({ ok: false, error: { code: 'invalid-output' } })
  })

  test.each<[what: string, wrong: JsonObject]>([
    ['names a type that does not exist', { type: 'object', properties: { to: { type: 'text' } } }],
    ['refers to nothing', { type: 'object', properties: { to: { $ref: '#/$defs/nowhere' } } }],
    ['describes no object', { type: 'string' }],
  ])('is refused when it %s', (_what, wrong) => {
    const define = () => tool({ name: 'mail.send', description: 'Send', input: wrong, run: () => null })
    expect(define).toThrow(HoldpointError)
    expect(define).toThrow(/Tool "mail\.send": input/)
  })
})

describe('internalTool', () => {
  const show = internalTool({
    name: 'chart.show',
    description: 'Show a chart',
    input: z.object({ points: z.array(z.number()), title: z.string().default('Chart') }),
  })

  test('gives its own arguments back as the result, and is not shown', async () => {
    expect(show).toMatchObject({ executor: 'server', visible: false })
    expect((await tried(show, { points: [1, 2] })).outcome).toEqual({
      ok: true,
      value: { success: true, args: { points: [1, 2], title: 'Chart' } },
    })
  })

  test('checks them first', async () => {
    expect((await tried(show, { points: 'many' })).outcome).toMatchObject({
      ok: false,
      error: { code: 'invalid-input' },
    })
  })

  test('may be shown, gated and declared with a JSON Schema like any other', async () => {
    const gated = internalTool({
      name: 'chart.show',
      description: 'Show',
      input: { type: 'object' },
      visible: true,
      approval: 'required',
    })
    expect(gated.visible).toBe(true)
    const { outcome } = await tried(gated, {})
    expect(outcome).toBeUndefined()
  })
})
