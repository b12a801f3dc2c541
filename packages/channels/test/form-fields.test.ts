/** A form for a JSON Schema: what it shows is what it sends, and what cannot be read is told at its field. */
import { expect, test } from 'vitest'
import { fieldOfRefusal, formFields, formValue } from '../src/form-fields.ts'

const schema = {
  type: 'object',
  required: ['to', 'euros', 'fast'],
  properties: {
    to: { type: 'string', title: 'Receiver' },
    euros: { type: 'number' },
    fast: { type: 'boolean' },
    size: { enum: ['s', 'm', 1], description: 'Of the parcel' },
    tags: { type: 'array' },
    note: { type: 'string' },
  },
}
const value = { to: 'Eve', euros: 50, fast: true, size: 'm', tags: ['a'], note: '' }

test('a form that is sent unchanged gives the value that it showed', () => {
  const fields = formFields(schema, value)
  expect(fields.map(({ kind }) => kind)).toEqual(['text', 'number', 'yes-no', 'choice', 'json', 'text'])
  expect(fields[0]).toMatchObject({ label: 'Receiver', required: true })
  expect(
    formValue(
      fields,
      fields.map(({ initial }) => initial),
    ),
  ).toEqual({ value })
})

test('what was left out is not in the value; what is needed, and what cannot be read, is an error at its field', () => {
  const fields = formFields(schema)
  expect(formValue(fields, ['Eve', '5', 'no'])).toEqual({ value: { to: 'Eve', euros: 5, fast: false } })
  const wrong = formValue(fields, ['Eve', 'many', undefined, 'xl', '[1'])
  expect('errors' in wrong && [...wrong.errors.keys()]).toEqual([1, 2, 3, 4])
  expect(formValue(formFields({ type: 'integer' }), ['1.5'])).toEqual({
    errors: new Map([[0, 'This is not a whole number.']]),
  })
})

test('a value that the form cannot show whole is edited as JSON', () => {
  for (const [of, given] of [
    [schema, { ...value, secret: 1 }],
    [{ type: 'array' }, [1, 2]],
    [undefined, { a: 1 }],
    [schema, null],
  ] as const) {
    const [field, ...more] = formFields(of, given)
    expect([field?.name, field?.kind, more]).toEqual([undefined, 'json', []])
    expect(formValue([field!], [field?.initial])).toEqual({ value: given })
  }
  expect(formValue(formFields({ type: 'string' }), ['5'])).toEqual({ value: '5' })
})

test('hostile names are names, and a refusal is shown at the field that it names', () => {
  const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as typeof schema
  const read = formValue(formFields(hostile), ['x'])
  expect('value' in read && JSON.stringify(read.value)).toBe('{"__proto__":"x"}')
  const fields = formFields(schema, value)
  expect(fieldOfRefusal(fields, 'The input does not fit: /euros must be at most 10')).toBe(1)
  expect(fieldOfRefusal(fields, 'A hook refused this.')).toBe(0)
})
