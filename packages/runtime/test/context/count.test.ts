/** The estimate of tokens, held against a real tokenizer (OpenAI's o200k), and a real one in its place. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PromptMessage } from '@holdpoint/core/internal/prompt/prompt'
import type { TokenCounter } from '@holdpoint/core/internal/context/context-options'
import { estimateTokens, tokensAtMost } from '@holdpoint/core/internal/context/count'
import { desk, live, say } from '../../../../test/kit/session-kit.ts'
import { memoryStore } from '@holdpoint/testing'

const file = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
/** The same every time, and as good as random. */
const bytes = Uint8Array.from({ length: 6000 }, (_, nth) => (Math.sin(nth * 12.9898) * 43758.5453 * 256) & 255)
const numbers = Array.from(bytes, (byte, nth) => String(byte * 1009 + nth))

const english = { prose: file('docs/architecture.md'), licence: file('LICENSE'), guide: file('docs/guide/loop.md') }
const code = {
  'a class': file('packages/runtime/src/log/log.ts'),
  'a test': file('test/kit/walk.ts'),
  names: 'getElementByIdOrNull readFileSyncWithRetry RequestWrapperFactoryBean XMLHttpRequest '.repeat(5),
}
const others = {
  JSON: file('package-lock.json').slice(0, 50_000),
  'JSON without blanks': JSON.stringify(JSON.parse(file('package.json'))),
  Chinese:
    '持久化的承诺意味着，即使进程崩溃，工具的调用结果也不会丢失。春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。',
  Japanese:
    '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。エージェントの呼び出しは永続的な約束です。',
  Korean: '에이전트의 도구 호출은 지속되는 약속입니다. 프로세스가 죽어도 결과는 사라지지 않습니다.',
  Arabic: 'كل استدعاء لأداة هو وعد دائم. حتى إذا تعطلت العملية فلن تضيع النتيجة. وُلِدَ الإنسانُ حُرًّا.',
  Russian: 'Каждый вызов инструмента является долговременным обещанием, и результат не теряется.',
  Hindi: 'प्रत्येक उपकरण कॉल एक टिकाऊ वादा है और परिणाम कभी नहीं खोता।',
  German: 'Die Donaudampfschifffahrtsgesellschaft hält Größenänderungen für unverhältnismäßig.',
  emoji: '😀🎉👩‍👩‍👧‍👦🏳️‍🌈🚀🔥❤️👍🏽🇩🇪🧑🏿‍💻🫠🪿',
  base64: Buffer.from(bytes).toString('base64'),
  hex: Buffer.from(bytes).toString('hex'),
  'long numbers': numbers.join(''),
  'a table of numbers': numbers.join(','),
  blanks: ' '.repeat(1000),
  lines: '\n'.repeat(1000),
  'all kinds of whitespace': ' \n\t  \r\n\n \t\t'.repeat(50),
  marks: '!"#$%&/()=?{}[]\\+*~;:,.-_<>|@^`'.repeat(20),
  'random letters': Array.from(bytes, (byte) => String.fromCharCode(97 + (byte % 26))).join(''),
  addresses: 'https://example.com/a/b?c=d&e=f%20g#h https://docs.acme.io/v1.2.3/some_file.html '.repeat(5),
}

describe('the estimate is not below what a tokenizer counts', () => {
  test.each(Object.entries({ ...english, ...code, ...others }))('for %s', (_, text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text))
  })

  test('for pieces of any of them', () => {
    const all = Object.values({ ...english, ...code, ...others })
    const piece = fc
      .record({ text: fc.constantFrom(...all), from: fc.nat({ max: 2000 }), size: fc.integer({ min: 200, max: 4000 }) })
      .map(({ text, from, size }) => text.slice(from, from + size))
    fc.assert(
      fc.property(piece, (text) => {
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text))
      }),
      { numRuns: 500, seed: 4 },
    )
  })

  test.each<[string, PromptMessage]>([
    ['a user message', { role: 'user', parts: [{ type: 'text', text: 'Hi!' }] }],
    ['a call', { role: 'assistant', parts: [{ type: 'call', id: 'toolu_01A09q90qw90lq917835lq9', name: 'get_weather', input: { place: 'Paris "Île-de-France"', days: [1, 2.5, 1e21, null, true] } }] }], // prettier-ignore
    ['a result', { role: 'tool', results: [{ id: 'toolu_01A09q90qw90lq917835lq9', name: 'get_weather', isError: false, content: { ok: true, result: { text: file('LICENSE'), lines: ['a\nb\t"c"', ''], at: 0.123_456_789 } } }] }], // prettier-ignore
  ])('for %s as JSON', (_, message) => {
    expect(estimateTokens(message)).toBeGreaterThanOrEqual(countTokens(wire(message)))
  })
})

describe('the estimate is at most two and a half times what a tokenizer counts', () => {
  test.each(Object.entries({ ...english, ...code }))('for %s', (_, text) => {
    expect(estimateTokens(text) / countTokens(text)).toBeLessThan(2.5)
  })
})

test('a picture is counted as a large one, whatever its bytes', () => {
  const picture = {
    type: 'file',
    mediaType: 'image/png',
    file: { kind: 'base64', base64: 'x'.repeat(100_000) },
  } as const
  expect(estimateTokens({ role: 'user', parts: [picture] })).toBe(1610)
})

test('what is said of a message without reading it is never less than the estimate', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.stringMatching(/^["\\\n{}]{0,60}$/))
  const json = fc.jsonValue({ stringUnit: 'binary' })
  const result = fc.record({ id: text, name: text, isError: fc.boolean(), content: fc.oneof(json, text) })
  const message = fc.oneof(
    fc.record({ role: fc.constant('system' as const), text }),
    fc.record({ role: fc.constant('tool' as const), results: fc.array(result) }),
    text.map((said) => ({ role: 'user' as const, parts: [{ type: 'text' as const, text: said }] })),
  )
  fc.assert(
    fc.property(message, (each) => {
      const given = each as PromptMessage
      expect(tokensAtMost(given)).toBeGreaterThanOrEqual(estimateTokens(given))
    }),
  )
})

test('a real tokenizer is plugged in as context.count, and is what the budget is held against', async () => {
  const count: TokenCounter = (what) => countTokens(typeof what === 'string' ? what : JSON.stringify(what))
  const question = 'It is a long story. '.repeat(40)
  const real = count({ role: 'user', parts: [{ type: 'text', text: question }] })
  const turn = (context: object) => live(desk(['Fine.'], { context }).agent, memoryStore({ now: () => 0 }))

  expect(await say(await turn({ count, budget: real }), question)).toMatchObject({ status: 'done' })
  expect(await say(await turn({ count, budget: real - 1 }), question)).toMatchObject({
    status: 'failed',
    reason: 'context_full',
    message: expect.stringContaining(`the newest turn about ${real}.`) as unknown,
  })
  // The estimate is careful, so it says no here.
  expect(await say(await turn({ budget: real }), question)).toMatchObject({ reason: 'context_full' })
})

/** About what a vendor has to read. */
function wire(message: PromptMessage): string {
  if (message.role === 'tool') return message.results.map(({ id, content }) => id + JSON.stringify(content)).join('')
  return message.role === 'system' ? message.text : message.parts.map((part) => JSON.stringify(part)).join('')
}
