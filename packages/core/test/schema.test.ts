/** Schemas of every origin: what the model reads, and the check at the border. */
import {
  defineAgent,
  HoldpointError,
  toolDefiner,
  withJsonSchema,
  type CompileJsonSchema,
  type JsonObject,
  type StandardSchema,
  type Tool,
} from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const acceptAll: CompileJsonSchema = () => (value) => ({ ok: true, value })
const tool = toolDefiner(acceptAll)
const named = { name: 'note.add', description: 'Add a note' }

function refusal(define: () => unknown): HoldpointError {
  try {
    define()
  } catch (error) {
    if (HoldpointError.is(error)) return error
  }
  throw new Error('It was not refused.')
}

/** What the model was shown of a tool, after a turn of two model calls; and what the call with this input came to. */
async function tried(made: Tool, input: JsonObject = {}) {
  const model = scriptedModel([{ calls: [{ name: made.name, input }] }, 'done'])
  const { steps } = await chat(defineAgent({ name: 'desk', model, tools: [made] }, testPorts()), 'go')
  const shown = model.requests.map(({ tools: [spec] }) => (spec?.kind === 'function' ? spec.inputSchema : undefined))
  return { shown, outcome: steps[0]?.calls[0]?.outcome }
}

describe('a JSON Schema', () => {
  test('reaches the model as the very object its author wrote, untouched', async () => {
    const schema = deepFrozen({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { text: { type: 'string', 'x-vendor': [1, { z: 1, a: 2 }] } },
      required: ['text'],
    })
    const { shown } = await tried(tool({ ...named, input: schema, run: () => null }), { text: 'hi' })
    expect(shown).toHaveLength(2)
    for (const each of shown) expect(each).toBe(schema)
  })

  test('is compiled once, when the tool is defined', async () => {
    const compiled: JsonObject[] = []
    const schema = { type: 'object' }
    const counting = toolDefiner((given) => {
      compiled.push(given)
      return (value) => ({ ok: true, value })
    })
    await tried(counting({ ...named, input: schema, run: () => null }))
    expect(compiled).toEqual([schema])
  })

  test('decides by its own checker what the tool is run with', async () => {
    const strict = toolDefiner(
      () => (value) => (JSON.stringify(value) === '{"n":1}' ? { ok: true, value } : { ok: false, why: 'n must be 1' }),
    )
    const made = strict({ ...named, input: { type: 'object' }, run: ({ input }) => input })
    expect((await tried(made, { n: 1 })).outcome).toEqual({ ok: true, value: { n: 1 } })
    expect((await tried(made, { n: 2 })).outcome).toEqual({
      ok: false,
      error: { code: 'invalid-input', message: 'n must be 1' },
    })
  })

  test('needs a validator that can check it', () => {
    const error = refusal(() => toolDefiner(undefined)({ ...named, input: { type: 'object' }, run: () => null }))
    expect(error).toMatchObject({
      code: 'tool-invalid',
      message: expect.stringContaining('Import "tool" from "holdpoint", or give a Standard Schema'),
    })
  })

  test('is refused when its checker refuses it, with the cause', () => {
    const cause = new Error('type must be a JSON type')
    const failing = toolDefiner(() => {
      throw cause
    })
    const error = refusal(() =>
      failing({ ...named, input: { type: 'object', properties: { a: { type: 'nonsense' } } }, run: () => null }),
    )
    expect(error).toMatchObject({
      code: 'tool-invalid',
      cause,
      message: expect.stringMatching(/Tool "note.add": input is not a JSON Schema that can be used: type must be/),
    })
  })

  test.each([
    ['is not plain JSON', { type: 'object', default: 1n }, /is not plain JSON/],
    ['is a list', [], /must be a Standard Schema \(Zod, Valibot, …\) or a JSON Schema object/],
    ['is a word', 'object', /must be a Standard Schema/],
    ['is null', null, /must be a Standard Schema/],
  ])('that %s is refused', (_what, input, message) => {
    expect(refusal(() => tool({ ...named, input: input as unknown as JsonObject, run: () => null })).message).toMatch(
      message,
    )
  })
})

describe('a Zod schema', () => {
  test('is described to the model by what goes in, before defaults and transforms', async () => {
    const input = z.object({
      text: z.string().min(1).describe('What to note'),
      tags: z.array(z.string()).default([]),
      at: z
        .string()
        .transform((text) => text.length)
        .optional(),
    })
    const { shown } = await tried(tool({ ...named, input, run: () => null }), { text: 'hi' })
    expect(shown[0]).toMatchObject({
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, description: 'What to note' },
        tags: { type: 'array', default: [] },
        at: { type: 'string' },
      },
      required: ['text'],
    })
  })

  test('is converted once, however often the model is called', async () => {
    let conversions = 0
    const counting: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'counting',
        validate: (value) => ({ value }),
        jsonSchema: { input: () => ({ type: 'object', conversion: ++conversions }) },
      },
    }
    const { shown } = await tried(tool({ ...named, input: counting, run: () => null }))
    expect(conversions).toBe(1)
    expect(shown[0]).toBe(shown[1])
  })

  test('gives the tool its output: defaults filled in, transforms applied, unknown keys gone', async () => {
    const input = z.object({
      text: z.string().transform((text) => text.length),
      tags: z.array(z.string()).default(['new']),
    })
    const { outcome } = await tried(tool({ ...named, input, run: ({ input: given }) => given }), {
      text: 'four',
      sneaky: true,
    })
    expect(outcome).toEqual({ ok: true, value: { text: 4, tags: ['new'] } })
  })

  test('tells the model where its arguments went wrong', async () => {
    const input = z.object({ notes: z.array(z.object({ text: z.string() })) })
    const { outcome } = await tried(tool({ ...named, input, run: () => null }), {
      notes: [{ text: 'fine' }, { text: 5 }],
    })
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'invalid-input', message: expect.stringMatching(/^notes\.1\.text: .*expected string/) },
    })
  })

  test('that JSON Schema has no word for is refused with a way out', () => {
    const error = refusal(() => tool({ ...named, input: z.object({ at: z.date() }), run: () => null }))
    expect(error.message).toMatch(
      /Tool "note.add": input cannot be converted to JSON Schema: Date.* Use types that JSON has, or wrap it: withJsonSchema/,
    )
  })
})

describe('another Standard Schema', () => {
  const valibot = v.object({ text: v.pipe(v.string(), v.minLength(2)), tags: v.optional(v.array(v.string()), ['new']) })
  const json = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

  test('that cannot describe itself is refused, and the message says how to help it', () => {
    const error = refusal(() => tool({ ...named, input: valibot, run: () => null }))
    expect(error).toMatchObject({
      code: 'tool-invalid',
      message: expect.stringContaining(
        'is a valibot schema that cannot be converted to JSON Schema. Wrap it: withJsonSchema(schema, {',
      ),
    })
  })

  test('works once it is given its JSON Schema: the model reads one, the other checks', async () => {
    const made = tool({ ...named, input: withJsonSchema(valibot, json), run: ({ input }) => input })
    const good = await tried(made, { text: 'hi' })
    expect(good.shown[0]).toEqual(json)
    expect(good.outcome).toEqual({ ok: true, value: { text: 'hi', tags: ['new'] } })
    expect((await tried(made, { text: 'x' })).outcome).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/^text: Invalid length/) },
    })
  })

  test('may be wrapped without changing the schema it came from', () => {
    withJsonSchema(valibot, json)
    expect(valibot['~standard']).not.toHaveProperty('jsonSchema')
  })

  test.each<[what: string, convert: () => unknown]>([
    ['gives no object', () => 'object'],
    ['gives nothing', () => undefined],
    ['gives what is not JSON', () => ({ type: 'object', default: 1n })],
    [
      'fails',
      () => {
        throw new Error('no such target')
      },
    ],
  ])('whose own JSON Schema %s is refused', (_what, convert) => {
    const schema = { '~standard': { ...valibot['~standard'], jsonSchema: { input: convert as () => JsonObject } } }
    expect(refusal(() => tool({ ...named, input: schema, run: () => null })).message).toMatch(
      /Tool "note.add": input cannot be converted to JSON Schema/,
    )
  })
})

describe('a validator', () => {
  test('may take its time', async () => {
    const input = z.object({ user: z.string().refine(async (user) => user === 'ada', 'no user of that name') })
    const made = tool({ ...named, input, run: ({ input: { user } }) => `hello ${user}` })
    expect((await tried(made, { user: 'ada' })).outcome).toEqual({ ok: true, value: 'hello ada' })
    expect((await tried(made, { user: 'bob' })).outcome).toMatchObject({
      error: { code: 'invalid-input', message: 'user: no user of that name' },
    })
  })

  test.each<[how: string, validate: () => never]>([
    [
      'throws',
      () => {
        throw new Error('database is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('database is down')) as never],
  ])('that %s lets nothing run and breaks nothing', async (_how, validate) => {
    let ran = 0
    const input: StandardSchema = {
      '~standard': { version: 1, vendor: 'x', validate, jsonSchema: { input: () => ({ type: 'object' }) } },
    }
    const { outcome } = await tried(tool({ ...named, input, run: () => ran++ }))
    expect(outcome).toEqual({
      ok: false,
      error: { code: 'invalid-input', message: 'the schema threw an error: database is down' },
    })
    expect(ran).toBe(0)
  })
})

function deepFrozen<T extends JsonObject>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) deepFrozen(member as JsonObject)
  return Object.freeze(value)
}
