import { ModelError } from 'holdpoint'
import { expect, test } from 'vitest'
import { call } from '../../../../test/kit/session-kit.ts'
import { reader, reads, shownPages, talk } from './kit.ts'

const tools = [reader('read')]
const context = { ownWords: { after: 1 } }

test('turns older than so many are told without their calls: what was said, and what was said to it at last', async () => {
  const { model } = await talk([reads('a'), reads('b'), reads('c')], { tools, context })

  expect(shownPages(model)).toEqual(['b', 'c'])
  expect(model.requests.at(-1)?.prompt.slice(0, 2)).toEqual([
    { role: 'user', parts: [{ type: 'text', text: 'Message 0' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'Read a.' }] },
  ])
})

test('a turn that ended without words of its own is told in full', async () => {
  const gone = new ModelError('gone', { retryable: false })
  const { model } = await talk([[reads('a')[0]!, gone], reads('b'), reads('c')], { tools, context })

  expect(shownPages(model)).toEqual(['a', 'b', 'c'])
})

test('words between calls are left out with them', async () => {
  const between = [{ text: 'Let me see.', calls: [call('read', { page: 'a', size: 0 })] }, 'Here it is.']
  const { model } = await talk([between, ['Fine.'], ['Fine.']], { tools, context })

  expect(JSON.stringify(model.requests.at(-1)?.prompt)).not.toContain('Let me see.')
  expect(model.requests.at(-1)?.prompt[1]).toEqual({
    role: 'assistant',
    parts: [{ type: 'text', text: 'Here it is.' }],
  })
})
