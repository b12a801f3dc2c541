/** Namespaced names, as vendors accept them and back: no two names share a form, and a form never changes. */
import { defineAgent, toolDefiner, vendorName } from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toolboxOf } from '../src/agent/agent.ts'
import { TOOL_NAME } from '../src/tool/name.ts'

/** What OpenAI, Anthropic and Google all accept; Google wants a letter or an underscore first. */
const ACCEPTED = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const HASHED = /__x[0-9a-f]{16}$/

const letter = fc.constantFrom('a', 'b', 'z', 'A', 'Z', '0', '1', '9')
const sign = fc.constantFrom('a', '9', '_', '.', ':', '/', '-')
const legal = fc
  .tuple(letter, fc.string({ unit: fc.oneof(sign, letter), maxLength: 127 }))
  .map(([first, rest]) => first + rest)
const short = fc.tuple(letter, fc.string({ unit: sign, maxLength: 4 })).map(([first, rest]) => first + rest)

/** Names made from a name to be mistaken for it: its vendor form, its dots written out, a forged hash, a shared prefix. */
function lookAlikes(name: string): string[] {
  const form = vendorName(name)
  const hash = /[0-9a-f]{16}$/.exec(form)?.[0] ?? '0123456789abcdef'
  return [
    form,
    vendorName(form),
    name.replaceAll('.', '__'),
    name.replaceAll('__', '.'),
    name.replaceAll('.', '_'),
    name.replaceAll(/[.:/]/g, '_'),
    name.replaceAll(/[_:/-]/g, '.'),
    `${name}__x${hash}`,
    `${name}.x${hash}`,
    form.replace(/__x([0-9a-f]{16})$/, '.x$1'),
    `${name.padEnd(128, 'p').slice(0, 127)}1`,
    `${name.padEnd(128, 'p').slice(0, 127)}2`,
    form.replace(/^_/, ''),
    `${name}.`,
    `${name}_`,
  ].filter((each) => TOOL_NAME.test(each))
}
const families = fc
  .array(fc.oneof(legal, short), { minLength: 1, maxLength: 6 })
  .map((names) => [...new Set(names.flatMap((name) => [name, ...lookAlikes(name)]))])

describe('vendorName', () => {
  test('gives every name a form that every vendor accepts, names that models invent included', () => {
    fc.assert(
      fc.property(fc.oneof(legal, short, fc.string({ unit: 'binary', maxLength: 200 })), (name) => {
        expect(vendorName(name)).toMatch(ACCEPTED)
      }),
      { numRuns: 500, examples: [[''], ['-'], ['_'], ['9'.repeat(64)], ['n'.repeat(65)], ['größe'], ['a\n']] },
    )
  })

  test('gives no two names the same form, however alike they look', () => {
    const seen = {
      dottedHash: 0,
      plain: 0,
      dotted: 0,
      hashed: 0,
      forgedHash: 0,
      isAnotherForm: 0,
      samePrefix: 0,
      digitFirst: 0,
    }
    fc.assert(
      fc.property(families, (names) => {
        const byForm = new Map<string, string>()
        for (const name of names) {
          const form = vendorName(name)
          expect(byForm.get(form) ?? name, `${name} and ${byForm.get(form)} are both ${form}`).toBe(name)
          byForm.set(form, name)
          if (form === name) seen.plain++
          else if (HASHED.test(form)) seen.hashed++
          else seen.dotted++
          if (HASHED.test(name)) seen.forgedHash++
          if (/\.x[0-9a-f]{16}$/.test(name)) seen.dottedHash++
          if (/^\d/.test(name)) seen.digitFirst++
        }
        seen.isAnotherForm += names.filter((name) => byForm.has(name) && byForm.get(name) !== name).length
        seen.samePrefix += names.length - new Set(names.map((name) => name.slice(0, 45))).size
      }),
      { numRuns: 500 },
    )
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0)
  })

  test('names go out and come back through the forms', () => {
    fc.assert(
      fc.property(families, (names) => {
        const back = toolboxOf(
          { name: 'desk', mode: 'auto' },
          names.map((name) =>
            toolDefiner(undefined)({ name, description: name, input: z.object({}), run: () => name }),
          ),
        ).names
        expect(names.map((name) => back.get(vendorName(name)))).toEqual(names)
      }),
    )
  })

  test.each([
    ['search', 'search'],
    ['search_notes-2', 'search_notes-2'],
    ['notes.search', 'notes__search'],
    ['a.b.c', 'a__b__c'],
    ['notes__search', 'notes__search__xe073b2a4a2e5375b'],
    ['notes:search', 'notes_search__x039fbecba9e50aaf'],
    ['3d.render', '_3d__render'],
  ])('the form of %s is %s, in every process and every release', (name, form) => {
    expect(vendorName(name)).toBe(form)
  })
})

test('tools that look alike are each called by their own form, and any other name is an unknown tool', async () => {
  const tool = toolDefiner(undefined)
  // In the order of their forms, as the model gets them.
  const names = ['notes-search', 'notes.search', 'notes__search', 'notes_search', 'notes:search']
  const tools = names.map((name) => tool({ name, description: name, input: z.object({}), run: () => `ran ${name}` }))
  const model = scriptedModel([
    ({ tools: offered }) => [
      ...offered.map(({ name }, index) => ({ type: 'call', id: `c${index}`, name, input: '{}' }) as const),
      { type: 'call', id: 'x', name: 'notes___search', input: '{}' } as const,
    ],
    'done',
  ])
  const { steps } = await chat(defineAgent({ name: 'desk', model, tools }, testPorts()), 'go')

  expect(steps[0]?.calls.map(({ name }) => name)).toEqual([...names, 'notes___search'])
  expect(steps[0]?.calls.map(({ outcome }) => (outcome?.ok ? outcome.value : outcome?.error.code))).toEqual([
    ...names.map((name) => `ran ${name}`),
    'unknown-tool',
  ])
})

test('a model that writes our own name instead of the form is understood', async () => {
  const search = toolDefiner(undefined)({
    name: 'notes.search',
    description: 'x',
    input: z.object({}),
    run: () => 'found',
  })
  const model = scriptedModel([[{ type: 'call', id: 'c', name: 'notes.search', input: '{}' }], 'done'])
  const { steps } = await chat(defineAgent({ name: 'desk', model, tools: [search] }, testPorts()), 'go')
  expect(steps[0]?.calls[0]).toMatchObject({ name: 'notes.search', outcome: { ok: true, value: 'found' } })
})
