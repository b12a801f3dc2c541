/** The pure functions of the components: hidden characters, hosts of links, differences, verdicts, durations. */
import { describe, expect, test } from 'vitest'
import type { Json } from '@holdpoint/client'
import {
  changesBetween,
  hasHidden,
  lookAlikesIn,
  piecesOf,
  safeLink,
  spanOf,
  verdictWords,
  webAddressesIn,
} from '@holdpoint/ui'
import { hiddenTarget } from '../src/web-address.ts'

describe('hidden characters', () => {
  test('are shown by number and name, and visible characters are unchanged', () => {
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
    '\u{1BCA0}',
    '\u200A',
    '\uFE0F',
  ])('U+%# is one of them', (character) => {
    expect(piecesOf(`a${character}b`).map(({ hidden }) => hidden !== undefined)).toEqual([false, true, false])
  })
})

test('the fifth and later marks on a letter are shown, and the marks of a script are unchanged', () => {
  expect(piecesOf(`e${'\u0301'.repeat(6)}`).at(-1)).toEqual({ hidden: 'U+0301 ×2' })
  expect(hasHidden('שָׁלוֹם ที่นี่ ❤️ 1️⃣ ٪١٢٣')).toBe(false)
})

describe('letters that look like others', () => {
  test.each([
    ['аda@example.org', 'аda@example.org', ['а U+0430 Cyrillic']],
    ['Send it to <ада@example.org>.', 'ада@example.org', ['а U+0430 Cyrillic', 'д U+0434 Cyrillic']],
    ['ada@exаmple.org, eve@example.org', 'ada@exаmple.org', ['а U+0430 Cyrillic']],
    ['ada@xn--80ak6aa92e.com', 'ada@xn--80ak6aa92e.com', []],
    ['log in at pаypal.com now', 'pаypal.com', ['а U+0430 Cyrillic']],
    ['сосо.com', 'сосо.com', ['с U+0441 Cyrillic', 'о U+043E Cyrillic']],
    ['ρaypal.com', 'ρaypal.com', ['ρ U+03C1 Greek']],
    ['ｇoogle.com', 'ｇoogle.com', ['ｇ U+FF47']],
  ])('are flagged in the address of %j', (text, name, letters) => {
    expect(lookAlikesIn(text)).toEqual([{ name, letters }])
  })
  test.each([
    'ada@example.org',
    'jürgen.müller@münchen.de',
    'See файл.txt and отчёт.pdf',
    'Привет, как дела? Всё хорошо.',
    '詳細はexample.comを見て',
    '田中@例え.jp',
    'e.g. α and β',
  ])('are not seen in %j', (text) => {
    expect(lookAlikesIn(text)).toEqual([])
  })
})

describe('web addresses', () => {
  test('are found with their real host, despite the text before it', () => {
    expect(webAddressesIn('see https://bank.example@evil.example/x and http://ok.example:8080.')).toEqual([
      { host: 'evil.example', userinfo: true, foreign: false, doubtful: false },
      { host: 'ok.example:8080', userinfo: false, foreign: false, doubtful: false },
    ])
    expect(webAddressesIn('https://аррӏе.com')).toMatchObject([{ host: expect.stringMatching(/^xn--/), foreign: true }])
    expect(webAddressesIn('no address: a//b, mailto:x@y.example')).toEqual([])
  })
  test.each([
    ['https:evil.example/x', 'evil.example'],
    ['https:/evil.example', 'evil.example'],
    ['http:\\\\evil.example', 'evil.example'],
    ['_https://evil.example', 'evil.example'],
    ['https://good.example%2eevil.example', 'good.example.evil.example'],
    ['https://good.example%2f@evil.example', 'evil.example'],
    ['https://ｅvil。example', 'evil.example'],
    ['https://0x7f.1/', '127.0.0.1'],
    ['https://good.example\t.evil.example/', 'good.example.evil.example'],
    ['https://good.example\n@evil.example/', 'evil.example'],
    ['https://good.example"@evil.example/', 'evil.example'],
    ["https://good.example'.evil.example/", "good.example'.evil.example"],
    ['https://good.example<@evil.example/', 'evil.example'],
  ])('%j leads to %s', (text, host) => {
    expect(webAddressesIn(text).map((each) => each.host)).toContain(host)
  })
  test('are marked if programs read them differently, but not because of code or quotes around them', () => {
    expect(webAddressesIn('https://good.example\\@evil.example/')).toMatchObject([{ doubtful: true }])
    expect(webAddressesIn('https://good.example"@evil.example/')).toMatchObject([
      { doubtful: false },
      { doubtful: true },
    ])
    for (const text of [
      '<a href="https://good.example">x</a>',
      '{"url":"https://good.example","b":1}',
      '`https://good.example`.',
    ])
      expect(webAddressesIn(text)).toMatchObject([{ host: 'good.example', doubtful: false }])
    expect(webAddressesIn('ssh://git@аррӏе.com/x')).toMatchObject([{ foreign: true }])
    expect(webAddressesIn('on https: it is safe, http: is not.')).toEqual([])
  })
  test('show their target unless the link text is the target', () => {
    const target = (href: string, words: string): string | undefined => hiddenTarget(new URL(href), words)
    expect(target('https://evil.example', 'https://bank.example?at=evil.example')).toBe('evil.example')
    expect(target('https://evil.example', 'evil.example.bank.example')).toBe('evil.example')
    expect(target('https://bank.example@evil.example', 'https://bank.example@evil.example')).toBe('evil.example')
    expect(target('mailto:eve@evil.example', 'ada@bank.example')).toBe('eve@evil.example')
    expect(target('https://bank.example/a', 'https://bank.example/a')).toBeUndefined()
    expect(target('http://www.bank.example', 'www.bank.example')).toBeUndefined()
    expect(target('mailto:ada@bank.example', 'ada@bank.example')).toBeUndefined()
  })
  test('become links only if they lead to the web or to mail', () => {
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
  test('are listed by path, with the values before and after', () => {
    const before = { to: 'ada', cc: ['bob', 'eve'], deep: { a: 1, b: null } }
    const after = { to: 'grace', cc: ['bob'], deep: { a: 1, b: null, c: true } }
    expect(changesBetween(before, after)).toEqual([
      { path: 'to', kind: 'changed', before: 'ada', after: 'grace' },
      { path: 'cc[2]', kind: 'removed', before: 'eve' },
      { path: 'deep.c', kind: 'added', after: true },
    ])
    expect(changesBetween(before, structuredClone(before))).toEqual([])
    const odd = JSON.parse('{"__proto__": 1, "constructor": 2}') as Json
    expect(changesBetween(odd, {})).toEqual([
      { path: '__proto__', kind: 'removed', before: 1 },
      { path: 'constructor', kind: 'removed', before: 2 },
    ])
    expect(changesBetween([1], { 0: 1 })).toEqual([{ path: '', kind: 'changed', before: [1], after: { 0: 1 } }])
  })
})

describe('verdicts', () => {
  const first = { hold: 'approval', nth: 1, accepts: ['approve'], by: 'grace', at: 1000 } as const
  test('show the first answer and its time to a user who was too late', () => {
    const rejected = { ...first, resolution: { kind: 'reject', reason: 'Too dear' } } as const
    expect(verdictWords({ verdict: 'conflict', message: '', first: rejected }, 13_000)).toEqual({
      tone: 'late',
      title: 'Too late: another answer came first',
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
  test('say how many more approvals are needed', () => {
    expect(verdictWords({ verdict: 'accepted', message: '', remaining: 2 }, 0).detail).toContain(
      '2 more approvals are needed',
    )
    expect(verdictWords({ verdict: 'accepted', message: '' }, 0).detail).toBeUndefined()
  })
})

test('durations have their two largest units', () => {
  expect([40, 1500, 65_000, 3_700_000, 90_000_000, -5].map(spanOf)).toEqual([
    '40 ms',
    '1 s',
    '1 min 5 s',
    '1 h 1 min',
    '1 d 1 h',
    '0 ms',
  ])
})
