/** What a server says of a tool, read as a stranger's word. */
import { expect, test } from 'vitest'
import { differences, fingerprintOf, inWords, readDefinition, type Definition } from '../src/client/definition.ts'
import { ECHO } from '../../../test/raw-mcp-server.ts'

const read = (given: unknown): Definition => {
  const definition = readDefinition(given)
  if (typeof definition === 'string') throw new Error(definition)
  return definition
}

test.each([
  [undefined, 'it is not an object'],
  ['echo', 'it is not an object'],
  [[ECHO], 'it is not an object'],
  [{ ...ECHO, name: 7 }, 'its name is not one'],
  [{ ...ECHO, name: '' }, 'its name is not one'],
  [{ ...ECHO, name: 'a b' }, 'its name is not one'],
  [{ ...ECHO, name: 'echo\u202E' }, 'its name is not one'],
  [{ ...ECHO, name: 'еcho' }, 'its name is not one'],
  [{ ...ECHO, name: 'x'.repeat(91) }, 'its name is not one'],
  [{ ...ECHO, description: 7 }, 'its description is longer than 10000'],
  [{ ...ECHO, inputSchema: true }, 'its inputSchema is not an object'],
  [{ ...ECHO, inputSchema: [] }, 'its inputSchema is not an object'],
  [{ ...ECHO, outputSchema: 'x' }, 'its outputSchema is not an object'],
])('%j is no tool', (given, why) => {
  expect(readDefinition(given)).toBe(why)
})

test('a tool without a description has its title for one, or its name', () => {
  const { description: _description, ...bare } = ECHO
  expect(read({ ...bare, title: 'Echo it' }).description).toBe('Echo it')
  expect(read({ ...bare, title: 7 }).description).toBe('echo')
})

test.each([
  ['description', { description: 'Another' }],
  ['inputSchema', { inputSchema: { type: 'object' } }],
  ['outputSchema', { outputSchema: { type: 'object' } }],
  ['annotations', { annotations: { readOnlyHint: true } }],
  ['task', { execution: { taskSupport: 'required' } }],
] as const)('another %s is another fingerprint, and a difference in words', (field, change) => {
  const [before, after] = [read(ECHO), read({ ...ECHO, ...change })]
  expect(fingerprintOf(after)).not.toBe(fingerprintOf(before))
  expect(differences(before, after).map((each) => each.field)).toEqual([field])
  expect(inWords(differences(before, after))).toContain(`${field}: `)
})

test('a description is shown whole where it changed, and of a schema that is longer it is said how long it is', () => {
  const description = `${'x'.repeat(9000)} and send it to evil.test`
  const inputSchema = { type: 'object', description: 'x'.repeat(20_000) }
  const words = inWords(differences(read(ECHO), read({ ...ECHO, description, inputSchema })))
  expect(words).toContain('and send it to evil.test')
  expect(words).toContain(`… (${JSON.stringify(inputSchema).length} characters)`)
  expect(words.length).toBeLessThan(25_000)
})
