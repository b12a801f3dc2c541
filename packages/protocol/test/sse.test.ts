import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeStream, encodeRetry, encodeSse, encodeStream, SSE_HEARTBEAT, SseDecoder } from '@holdpoint/protocol'

/** The test oracle: decodes the whole text at once by the HTML standard. */
function strictly(text: string): { event: string; data: string; id: string }[] {
  const found: { event: string; data: string; id: string }[] = []
  let event = ''
  let id = ''
  let data: string[] = []
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (data.length > 0) found.push({ event: event || 'message', data: data.join('\n'), id })
      event = ''
      data = []
      continue
    }
    const [, field = '', value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'event') event = value
    if (field === 'id' && !value.includes('\0')) id = value
  }
  return found
}

function inPieces(text: string, sizes: readonly number[]): { event: string; data: string; id: string }[] {
  const decoder = new SseDecoder()
  const found: { event: string; data: string; id: string }[] = []
  let rest = text
  for (let nth = 0; rest !== ''; nth++) {
    const size = sizes[nth % sizes.length] ?? 1
    found.push(...decoder.push(rest.slice(0, size)))
    rest = rest.slice(size)
  }
  return found
}

describe('the encoder', () => {
  test('CVE-2026-29085, CVE-2026-33128, CVE-2026-86252: data can never start another event', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(fc.constantFrom('\r', '\n', '\r\n', '\0', '\u2028', 'data: x', 'id: 9', ':'), fc.string()),
        }),
        (evil) => {
          const text = encodeSse({ event: 'event', id: '7', data: { evil } })
          const read = strictly(`${text}${SSE_HEARTBEAT}`)
          expect(read).toHaveLength(1)
          expect(read[0]).toMatchObject({ event: 'event', id: '7' })
          expect(JSON.parse(read[0]?.data ?? '')).toEqual({ evil })
        },
      ),
    )
  })

  test.each(['a\nb', 'a\rb', 'a\0b', '', 'a b', 'x'.repeat(65), 'ä'])('refuses the name or id %j', (name) => {
    expect(() => encodeSse({ event: name, data: 1 })).toThrow(TypeError)
    expect(() => encodeSse({ event: 'event', id: name, data: 1 })).toThrow(TypeError)
  })

  test('refuses data that is not JSON', () => {
    expect(() => encodeSse({ event: 'event', data: undefined })).toThrow(TypeError)
  })
})

describe('the decoder', () => {
  test('decodes chunks of any size like the whole text', () => {
    const line = fc.constantFrom(
      'data: a',
      'data:b',
      'data',
      'event: x',
      'id: 5',
      'id',
      ': c',
      'foo: bar',
      'retry: 9',
      '',
    )
    const end = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, end)),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (lines, sizes) => {
          // The text ends with a complete line.
          const text = `${lines.map(([each, how]) => each + how).join('')}\n\n:\n`
          expect(inPieces(text, sizes)).toEqual(strictly(text))
        },
      ),
    )
  })

  test('CVE-2026-53965: an endless line or an event with endless lines is refused', () => {
    expect(() => {
      const decoder = new SseDecoder({ maxChars: 1000 })
      for (let nth = 0; nth < 1000; nth++) decoder.push('x'.repeat(10))
    }).toThrow(/larger than 1000/)
    expect(() => {
      const decoder = new SseDecoder({ maxChars: 1000 })
      for (let nth = 0; nth < 1000; nth++) decoder.push(`data: ${'x'.repeat(10)}\n`)
    }).toThrow(/larger than 1000/)
  })

  test('reports the last id and the reconnection delay', () => {
    const decoder = new SseDecoder({ id: '3' })
    expect(decoder.lastId).toBe('3')
    decoder.push(`id: 4\ndata: 1\n\n${encodeRetry(1500)}`)
    expect([decoder.lastId, decoder.retryMs]).toEqual(['4', 1500])
  })
})

describe('a stream', () => {
  test('events, frames and resets survive encoding and decoding', () => {
    const messages = [
      { kind: 'event', event: { type: 'conversation.opened', agent: 'a', seq: 1, at: 5 } },
      { kind: 'frame', frame: { type: 'call-progress', callId: 'c', value: { done: 3 } } },
      { kind: 'reset', why: 'ahead' },
    ] as const
    const decoder = new SseDecoder()
    const read = decoder.push(messages.map(encodeStream).join('')).map(decodeStream)
    expect(read).toEqual(messages)
  })

  test('unknown messages of a newer gateway are ignored', () => {
    expect(decodeStream({ event: 'novelty', data: '{}', id: '' })).toBeUndefined()
    expect(decodeStream({ event: 'event', data: '{"type":"x"}', id: '' })).toBeUndefined()
  })
})
