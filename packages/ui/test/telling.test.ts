/** What the components know of the world before anything is drawn: what hides, where links lead, what changed, who was first. */
import { describe, expect, test } from 'vitest'
import { changesBetween, hasHidden, piecesOf, safeLink, spanOf, verdictWords, webAddressesIn } from '@holdpoint/ui'

describe('hidden characters', () => {
  test('are shown by number and name, and what can be seen is left alone', () => {
    expect(piecesOf('user\u202Egnp.exe')).toEqual([
      { text: 'user' },
      { hidden: 'U+202E right-to-left override' },
      { text: 'gnp.exe' },
    ])
    expect(hasHidden('Grüße,\n\tشكرا 👋🏽 שלום\r\nend')).toBe(false)
  })
  test.each([
    '\u0000',
    '\u001B',
    '\u00AD',
    '\u200B',
    '\u200F',
    '\u2028',
    '\u2066',
    '\uFEFF',
    '\u{E0041}',
    '\uD800',
    '\u3164',
  ])('U+%# is one of them', (character) => {
    expect(piecesOf(`a${character}b`).map(({ hidden }) => hidden !== undefined)).toEqual([false, true, false])
  })
})

describe('web addresses', () => {
  test('say which host they lead to, whatever stands before it', () => {
    expect(webAddressesIn('see https://bank.example@evil.example/x and http://ok.example:8080.')).toEqual([
      { host: 'evil.example', userinfo: true, foreign: false },
      { host: 'ok.example:8080', userinfo: false, foreign: false },
    ])
    expect(webAddressesIn('https://аррӏе.com')).toMatchObject([{ host: expect.stringMatching(/^xn--/), foreign: true }])
    expect(webAddressesIn('no address: a//b, mailto:x@y.example')).toEqual([])
  })
  test('are links only to the web and to mail', () => {
    const links = [
      'https://a.example',
      'mailto:a@b.example',
      'javascript:alert(1)',
      'JAVA\tSCRIPT:alert(1)',
      'data:text/html,x',
      '/api/keys',
      '//a.example',
      'file:///etc',
    ]
    expect(links.filter((link) => safeLink(link))).toEqual(['https://a.example', 'mailto:a@b.example'])
  })
})

describe('changes', () => {
  test('are told place by place, with what was and what is', () => {
    const before = { to: 'ada', cc: ['bob', 'eve'], deep: { a: 1, b: null } }
    const after = { to: 'grace', cc: ['bob'], deep: { a: 1, b: null, c: true } }
    expect(changesBetween(before, after)).toEqual([
      { path: 'to', kind: 'changed', before: 'ada', after: 'grace' },
      { path: 'cc[2]', kind: 'removed', before: 'eve' },
      { path: 'deep.c', kind: 'added', after: true },
    ])
    expect(changesBetween(before, structuredClone(before))).toEqual([])
    expect(changesBetween([1], { 0: 1 })).toEqual([{ path: '', kind: 'changed', before: [1], after: { 0: 1 } }])
  })
})

describe('verdicts', () => {
  const first = { hold: 'approval', nth: 1, accepts: ['approve'], by: 'grace', at: 1000 } as const
  test('tell whoever came too late what happened instead, and when', () => {
    const rejected = { ...first, resolution: { kind: 'reject', reason: 'Too dear' } } as const
    expect(verdictWords({ verdict: 'conflict', message: '', first: rejected }, 13_000)).toEqual({
      tone: 'late',
      title: 'Too late: somebody else was first',
      detail: 'grace rejected it 12 s ago: “Too dear”.',
    })
    const edited = { ...first, resolution: { kind: 'approve', input: {} } } as const
    expect(verdictWords({ verdict: 'stale', message: '', first: edited }, 61_000).detail).toBe(
      'grace approved it 1 min 0 s ago, with changes.',
    )
    expect(verdictWords({ verdict: 'expired', message: 'It waited until noon.' }, 0)).toMatchObject({
      tone: 'late',
      detail: 'It waited until noon.',
    })
  })
  test('say how many more must agree', () => {
    expect(verdictWords({ verdict: 'accepted', message: '', remaining: 2 }, 0).detail).toContain('2 more must agree')
    expect(verdictWords({ verdict: 'accepted', message: '' }, 0).detail).toBeUndefined()
  })
})

test('spans of time have their two largest units', () => {
  expect([40, 1500, 65_000, 3_700_000, 90_000_000, -5].map(spanOf)).toEqual([
    '40 ms',
    '1 s',
    '1 min 5 s',
    '1 h 1 min',
    '1 d 1 h',
    '0 ms',
  ])
})
