/** Tools as plain JSON: what each kind becomes, what applies where nothing is said, and what is refused, with its path. */
import { toolFromConfig, type JsonObject } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { json, serve } from './http-tool-kit.ts'
import { called, configs, inputSchema, kinds, refusal, type Kind } from './tool-config-kit.ts'

describe('what each kind is converted to', () => {
  test.each([
    ['gateway', { executor: 'server', visible: true, async: false, waiting: { timeoutMs: 30_000 }, onLost: 'retry' }],
    ['external', { executor: 'external', visible: true, async: false, waiting: { timeoutMs: 30_000, late: 'inbox' } }],
    ['space', { executor: 'client', visible: true, async: false, waiting: { timeoutMs: 30_000, late: 'inbox' } }],
    ['internal', { executor: 'server', visible: false, async: false }],
  ] as const)('%s, where nothing else is said', (kind, made) => {
    expect(toolFromConfig(configs[kind])).toMatchObject({ name: 'weather.get', ...made })
  })

  test('the model is shown the very schema, and its arguments are checked by it', async () => {
    const { model, outcome } = await called(toolFromConfig(configs.internal), { city: 7 })
    expect(model.requests[0]?.tools).toMatchObject([{ inputSchema, description: 'The weather of a city' }])
    expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
  })

  test('the arguments of an internal tool are its result', async () => {
    const { outcome } = await called(toolFromConfig(configs.internal), { city: 'Oslo' })
    expect(outcome).toEqual({ ok: true, value: { success: true, args: { city: 'Oslo' } } })
  })

  test('a gateway tool calls its url, by its method and with its headers', async () => {
    const server = await serve(json({ degrees: 7 }))
    const host = `127.0.0.1:${server.port}`
    const execution = { url: `http://${host}/weather/{city}`, method: 'POST', headers: { 'X-Units': 'metric' } }
    const made = toolFromConfig({ ...configs.gateway, execution }, { privateHosts: [host] })

    const { outcome } = await called(made, { city: 'Oslo', days: 2 })

    expect(outcome).toEqual({ ok: true, value: { status: 200, body: { degrees: 7 } } })
    expect(server.seen).toMatchObject([
      { method: 'POST', url: '/weather/Oslo', body: '{"days":2}', headers: { 'x-units': 'metric' } },
    ])
  })

  test('what is not its own to call is not called: neither private hosts nor http, whatever the config says', () => {
    const at = (url: string) => ({ ...configs.gateway, execution: { url } })
    for (const url of ['https://127.0.0.1/', 'https://localhost/', 'https://169.254.169.254/', 'https://[::1]/'])
      expect(refusal(at(url))).toMatchObject({ message: expect.stringMatching(/^tool\.execution\.url: .*not public/) })
    expect(refusal(at('https://10.0.0.1/')).message).toMatch(/Only the operator can allow it\.$/)
    expect(refusal(at('http://api.test/')).message).toBe('tool.execution.url: "url" is not encrypted. Use https://.')
    expect(refusal({ ...at('https://127.0.0.1/'), allowPrivate: true }).message).toContain('tool.allowPrivate: ')
    expect(refusal(at('http://127.0.0.1:81/'), { privateHosts: ['127.0.0.1:80'] }).code).toBe('config-invalid')
  })

  test('what else a tool may say is said by the same words', () => {
    const made = toolFromConfig({
      ...configs.space,
      visible: false,
      timeout: 60_000,
      grace: 5000,
      late: 'reject',
      outputSchema: { type: 'number' },
      approval: { required: true, reason: 'It costs', approvers: 2, rules: 'may-relax' },
      onExpire: { answer: 0 },
      retention: { turns: 2 },
    })
    expect(made).toMatchObject({
      visible: false,
      waiting: { timeoutMs: 60_000, graceMs: 5000, late: 'reject', onExpire: { answer: 0 } },
      output: { json: { type: 'number' } },
      retention: { turns: 2 },
    })
    expect(made.gate?.({} as never)).toEqual({
      required: true,
      reason: 'It costs',
      approvers: 2,
      rules: 'may-relax',
    })
    expect(toolFromConfig({ ...configs.gateway, onLost: 'fail', approval: 'required' })).toMatchObject({
      onLost: 'fail',
    })
  })

  test('an approval is bound to where the call goes and what it is sent with', () => {
    const print = (execution: object) => toolFromConfig({ ...configs.gateway, execution }).fingerprint
    const url = 'https://api.test/a'
    const prints = [{ url }, { url: `${url}b` }, { url, method: 'POST' }, { url, headers: { 'x-account': 'prod' } }]
    expect(new Set([...prints, { url }].map(print)).size).toBe(4)
  })

  test('an approver sees which headers are sent, and that one was changed, but no value and no name of a secret', () => {
    const shown = (account: string, $secret = 'CRM_TOKEN') => {
      const headers = { authorization: { $secret }, 'x-account': account }
      const execution = { url: 'https://api.test/a', method: 'PUT', headers }
      return toolFromConfig({ ...configs.gateway, execution }, { secrets: () => 'hush' }).definition
    }
    expect(shown('production')).toMatchObject({
      method: 'PUT',
      url: 'https://api.test/a',
      headers: {
        authorization: expect.stringMatching(/^secret …[0-9a-f]{6}$/),
        'x-account': expect.stringMatching(/^…[0-9a-f]{6}$/),
      },
    })
    expect(shown('production')).not.toEqual(shown('sandbox'))
    expect(shown('production')).not.toEqual(shown('production', 'BANK_TOKEN'))
    expect(JSON.stringify(shown('production'))).not.toMatch(/CRM_TOKEN|production|hush/)
  })

  test('changing the configuration afterwards changes nothing', () => {
    const config = structuredClone(configs.external) as { inputSchema: JsonObject }
    const made = toolFromConfig(config)
    Object.assign(config.inputSchema, { properties: {} })
    expect(made).toMatchObject({ name: 'weather.get', input: { json: inputSchema } })
  })
})

const deep = (levels: number): JsonObject =>
  levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } }
const fields = (n: number): JsonObject =>
  Object.fromEntries(Array.from({ length: n }, (_, k) => [`f${k}`, { type: 'string' }]))

describe('what is refused, and where it stands', () => {
  test.each<[what: string, change: object, message: RegExp]>([
    ['a name that is missing', { name: undefined }, /^tool\.name: is missing\.$/],
    ['a name with spaces', { name: 'get weather' }, /^tool\.name: "get weather" is not a tool name/],
    ['a name of two lines', { name: 'get\nweather' }, /^tool\.name: must be one line/],
    ['a name that is endless', { name: 'n'.repeat(100_000) }, /^tool\.name: is 100000 characters long, and 128 are/],
    ['a name that is no text', { name: 7 }, /^tool\.name: must be text, not a number\.$/],
    ['no description', { description: '' }, /^tool\.description: must not be empty\.$/],
    ['text that reads backwards', { description: 'safe\u202Eevil' }, /^tool\.description: .*\(U\+202E\)/],
    ['invisible text', { description: 'hi\u{E0041}' }, /^tool\.description: .*\(U\+E0041\)/],
    ['text with a NUL', { description: 'a\u0000b' }, /^tool\.description: .*\(U\+0000\)/],
    ['half a character', { description: 'a\uD800' }, /^tool\.description: .*\(U\+D800\)/],
    [
      'an unknown kind',
      { executionType: 'lambda' },
      /^tool\.executionType: must be one of gateway, external, space, int/,
    ],
    ['no kind', { executionType: undefined }, /^tool\.executionType: is missing\.$/],
    ['an unknown field', { aproval: 'required' }, /^tool\.aproval: is not known\. There are name, description/],
    ['an unknown field of any length', { ['x'.repeat(9999)]: 1 }, /^tool\["x{64}"\]: is not known/],
    ['a timeout in words', { timeout: '30s' }, /^tool\.timeout: must be a whole number from 1 to \d+, not text/],
    ['no time at all', { timeout: 0 }, /^tool\.timeout: must be a whole number from 1/],
    ['no time that ends', { timeout: 1e300 }, /^tool\.timeout: must be a whole number/],
    ['visible in words', { visible: 'yes' }, /^tool\.visible: must be true or false, not text/],
    ['an approval by no one', { approval: { required: true, approvers: 0 } }, /^tool\.approval\.approvers: must be/],
    ['an approval that is unclear', { approval: { reason: 'x' } }, /^tool\.approval\.required: is missing/],
    ['an approval of another word', { approval: 'never' }, /^tool\.approval: must be one of auto, required/],
    ['an expiry of another word', { onExpire: 'approve' }, /^tool\.onExpire: must be one of error, reject, cancel/],
    ['a retention of text', { retention: { turns: '1' } }, /^tool\.retention\.turns: must be a whole number from 0/],
    ['a grace above the timeout', { timeout: 10, grace: 20 }, /^tool\.grace: "grace" is longer than "timeout"/],
    ['no schema', { inputSchema: null }, /^tool\.inputSchema: must be an object, not null/],
    ['a schema of no object', { inputSchema: { type: 'string' } }, /^tool\.inputSchema: .*must describe an object/],
    ['a schema with an unknown type', { inputSchema: { type: 'objekt' } }, /^tool\.inputSchema: /],
    ['a wrong output schema', { outputSchema: { type: 'objekt' } }, /^tool\.outputSchema: /],
    [
      'a schema from elsewhere',
      { inputSchema: { $ref: 'https://evil.test/s' } },
      /^tool\.inputSchema: .*only references/,
    ],
    [
      'a schema of 64 KB',
      { inputSchema: { type: 'object', title: 'x'.repeat(66_000) } },
      /^tool\.inputSchema: .*65536/,
    ],
    ['a schema of 40 levels', { inputSchema: deep(20) }, /^tool\.inputSchema: .*nested deeper than 32/],
    ['2,001 nodes', { inputSchema: { type: 'object', properties: fields(2000) } }, /^tool\.inputSchema: .*2000 nodes/],
    [
      '65 combinators',
      {
        inputSchema: {
          type: 'object',
          allOf: [{ properties: fields(0) }, ...Array.from({ length: 65 }, () => ({ not: {} }))],
        },
      },
      /^tool\.inputSchema: .*more than 64/,
    ],
    [
      'a secret where none belongs',
      { onExpire: { answer: { $secret: 'KEY' } } },
      /^tool\.onExpire\.answer\.\$secret: /,
    ],
    [
      'a secret as a description',
      { description: { $secret: 'KEY' } },
      /^tool\.description\.\$secret: refers to a secret/,
    ],
  ])('%s', (_what, change, message) => {
    const { code, message: said } = refusal({ ...configs.space, ...change })
    expect(said).toMatch(message)
    expect(code).toBe('config-invalid')
    expect(said.length).toBeLessThan(500)
  })

  test.each<[what: string, execution: unknown, message: RegExp]>([
    ['a list', [], /^tool\.execution: must be an object, not a list/],
    ['no url', {}, /^tool\.execution\.url: is missing/],
    ['a file', { url: 'file:///etc/passwd' }, /^tool\.execution\.url: .*must begin with https/],
    ['a password in its url', { url: 'https://a:b@api.test/' }, /^tool\.execution\.url: .*credentials/],
    ['a host of the model’s choice', { url: 'https://{city}/' }, /^tool\.execution\.url: .*placeholder/],
    ['a placeholder that is no field', { url: 'https://api.test/{town}' }, /^tool\.execution\.url: .*\{town\}/],
    [
      'an unknown method',
      { url: 'https://api.test/', method: 'TRACE' },
      /^tool\.execution\.method: must be one of GET/,
    ],
    ['a header of its own', { url: 'https://api.test/', headers: { Host: 'x' } }, /^tool\.execution\.headers: "Host"/],
    ['two lines in a header', { url: 'https://api.test/', headers: { a: 'b\r\nc: d' } }, /^tool\.execution\.headers: /],
    [
      'a header of numbers',
      { url: 'https://api.test/', headers: { a: 1 } },
      /^tool\.execution\.headers\.a: must be text/,
    ],
    ['a body', { url: 'https://api.test/', body: {} }, /^tool\.execution\.body: is not known/],
    ['very many headers', { url: 'https://api.test/', headers: fields(33) }, /^tool\.execution\.headers: there are 33/],
  ])('an execution with %s', (_what, execution, message) => {
    expect(refusal({ ...configs.gateway, execution }).message).toMatch(message)
  })

  const only: readonly (readonly [key: string, value: unknown, kinds: readonly Kind[]])[] = [
    ['execution', { url: 'https://api.test/{city}' }, ['gateway', 'external', 'space']],
    ['onLost', 'fail', ['gateway']],
    ['isAsync', true, ['gateway', 'external', 'space']],
    ['late', 'inbox', ['external', 'space']],
    ['streaming', true, ['external', 'space']],
    ['grace', 10, ['space']],
    ['outputSchema', { type: 'object' }, ['gateway', 'external', 'space']],
  ]
  test.each(only.flatMap(([key, value, takenBy]) => kinds.map((kind) => [key, kind, value, takenBy] as const)))(
    '%s is taken by those %s tools that it is for, and refused by the others',
    (key, kind, value, takenBy) => {
      const config = { ...configs[kind], [key]: value }
      if (takenBy.includes(kind)) expect(toolFromConfig(config).name).toBe('weather.get')
      else expect(refusal(config).message).toMatch(new RegExp(`^tool\\.${key}: is (only|not) for .*\\btools\\b`))
    },
  )

  test.each(['__proto__', 'constructor', 'prototype'])('%s as a name, wherever it stands', (name) => {
    const text = JSON.stringify({
      ...configs.space,
      inputSchema: { type: 'object', properties: { NAME: { type: 'string' } } },
    })
    const found = refusal(JSON.parse(text.replace('NAME', name)))
    expect(found).toEqual({
      code: 'config-invalid',
      message: `tool.inputSchema.properties.${name}: is not allowed as a name.`,
    })
    expect(refusal(JSON.parse(`{"${name}": {"a": 1}}`)).message).toBe(`tool.${name}: is not allowed as a name.`)
  })

  test.each<[what: string, config: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'tool'],
    ['a list', []],
    ['a function', () => configs.space],
    ['what JSON cannot hold', { ...configs.space, timeout: 10n }],
    [
      'what refers to itself',
      Object.assign<object, object>(
        {},
        {
          get self() {
            return this
          },
        },
      ),
    ],
    ['a megabyte', { ...configs.space, onExpire: { answer: 'x'.repeat(1_000_001) } }],
  ])('%s in place of a configuration', (_what, config) => {
    expect(refusal(config)).toMatchObject({ code: 'config-invalid', message: expect.stringMatching(/^tool: /) })
  })

  test('what pretends to be harmless is read once', () => {
    let reads = 0
    const twoFaced = {
      ...configs.space,
      get approval() {
        return ++reads === 1 ? 'required' : 'auto'
      },
    }
    expect(toolFromConfig(twoFaced).gate?.({} as never)).toEqual({ required: true })
    expect(reads).toBe(1)
  })
})
