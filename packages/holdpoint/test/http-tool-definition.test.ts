import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, Session, type Tool } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { httpTool } from '../src/http-tool/http-tool.ts'
import { httpToolOn } from '../src/http-tool/http-tool-on.ts'
import { base, json, PUBLIC, run, serve, testNetwork, type Options } from './http-tool-kit.ts'

describe('A definition', () => {
  test.each<[Partial<Record<keyof Options, unknown>>, string]>([
    [{ url: undefined }, 'needs a "url"'],
    [{ url: '/users' }, 'must begin with https://'],
    [{ url: 'ftp://api.test/' }, 'must begin with https://'],
    [{ url: 'file:///etc/passwd' }, 'must begin with https://'],
    [{ url: '{scheme}://api.test/' }, 'must begin with https://'],
    [{ url: 'https://{host}/' }, 'in its host or port'],
    [{ url: 'https://api.{tld}/x' }, 'in its host or port'],
    [{ url: 'https://api.test:{port}/' }, 'in its host or port'],
    [{ url: 'https://api.test{path}' }, 'in its host or port'],
    [{ url: 'https://{user}@api.test/' }, 'in its host or port'],
    [{ url: 'https://user:pass@api.test/' }, 'has credentials in it'],
    [{ url: 'https://api.test/#{x}' }, 'has a fragment'],
    [{ url: 'https://api.test\\@evil.test/' }, 'has credentials in it'],
    [{ url: 'https://api.test\t/x' }, 'has spaces or backslashes'],
    [{ url: 'https:///x' }, 'or no host'],
    [{ url: 'https://api.test/{a' }, 'a brace that is not part of a {placeholder}'],
    [{ url: 'https://api.test/{}' }, 'a brace that is not part of a {placeholder}'],
    [{ url: 'https://api.test:99999/' }, 'is not a web address'],
    [{ url: 'http://api.test/' }, 'is not encrypted'],
    [
      { url: 'https://api.test/{ID}', input: { type: 'object', properties: { id: {} } } },
      'has the placeholder {ID}, and the input has no such field. It has id.',
    ],
    [{ method: 'get' }, '"method" must be one of GET'],
    [{ method: 'TRACE' }, '"method" must be one of GET'],
    [{ maxBytes: 0 }, '"maxBytes" must be a whole number above 0'],
    [{ headers: { Host: 'evil.test' } }, '"Host" cannot be set by the author'],
    [{ headers: { 'transfer-encoding': 'chunked' } }, 'cannot be set by the author'],
    [{ headers: { 'x-a': 'a\r\nx-b: b' } }, '"x-a" has a name or a value that cannot be sent'],
    [{ headers: { 'x a': 'a' } }, '"x a" has a name or a value that cannot be sent'],
    [{ headers: { 'x-a': 1 } }, '"x-a" is not a text'],
    [{ headers: ['x'] }, 'must be an object'],
    [{ executor: 'human' } as never, 'not for executor "human"'],
    [{ retries: 3 } as never, '"retries": There is no such setting'],
  ])('of %j is refused', (options, says) => {
    expect(() => httpTool({ ...base, ...options } as Options)).toThrow(
      expect.objectContaining({ code: 'tool-invalid', message: expect.stringContaining(says) }),
    )
  })

  test('may be unencrypted when the author says so', async () => {
    const server = await serve(json('plain'))
    const network = testNetwork(server.port, { 'api.test': [[PUBLIC]] })
    expect(await run(httpToolOn(network)({ ...base, url: 'http://api.test/', allowHttp: true }))).toEqual({
      status: 200,
      body: 'plain',
    })
    expect(network.dialled).toEqual([[[PUBLIC], 80]])
  })

  test.each<[NonNullable<Options['method']>, string]>([
    ['GET', 'retry'],
    ['HEAD', 'retry'],
    ['PUT', 'retry'],
    ['DELETE', 'retry'],
    ['POST', 'ask'],
    ['PATCH', 'ask'],
  ])('of a %s that is lost: %s, unless the author knows better', (method, onLost) => {
    expect(httpTool({ ...base, method }).onLost).toBe(onLost)
    expect(httpTool({ ...base, method, onLost: 'fail' }).onLost).toBe('fail')
  })

  test('takes the settings of a server tool', () => {
    const tool = httpTool({
      ...base,
      approval: 'required',
      approvalTimeout: '1 hour',
      timeout: '5 seconds',
      visible: false,
      retention: 'keep',
      output: { type: 'object' },
    })
    expect(tool).toMatchObject({
      executor: 'server',
      approvalTimeoutMs: 3_600_000,
      waiting: { timeoutMs: 5000 },
      visible: false,
      retention: 'keep',
    })
    expect(tool.gate).toBeTypeOf('function')
    expect(httpTool(base).waiting.timeoutMs).toBe(30_000)
  })

  test('has a fingerprint that changes with the url and the method, so that an approval is for one place only', () => {
    const prints = [base, { ...base, url: 'https://api.test/x' }, { ...base, method: 'POST' as const }].map(
      (options) => httpTool(options).fingerprint,
    )
    expect(new Set(prints).size).toBe(3)
    expect(httpTool({ ...base, headers: { authorization: 'rotated' } }).fingerprint).toBe(prints[0])
  })

  test('tells an approver what is requested, without what may be a credential in the url', () => {
    const shown = (url: string): unknown => httpTool({ ...base, method: 'POST', url }).definition.url
    expect(httpTool({ ...base, method: 'POST' }).definition).toMatchObject({
      description: base.description,
      method: 'POST',
      url: base.url,
    })
    const input = 'https://api.test:8443/users/{id}/orders?state=open&limit={limit}&token={token}'
    const properties = { id: {}, limit: {}, token: {} }
    expect(httpTool({ ...base, url: input, input: { type: 'object', properties } }).definition.url).toBe(input)
    expect(shown('https://api.test/x?api_key=short&mode=fast')).toMatch(/\/x\?api_key=…[0-9a-f]{6}&mode=fast$/)
    expect(shown('https://hooks.test/services/T0/8f3kdh4k5h6k3h4k5h')).toMatch(/\/services\/T0\/…[0-9a-f]{6}$/)
    expect(shown('https://api.test/x?q=8f3kdh4k5h6k3h4k5h')).toMatch(/\?q=…[0-9a-f]{6}$/)
    expect(shown('https://api.test/x?key=one')).not.toBe(shown('https://api.test/x?key=two'))
  })

  test('that a url was swapped is a changed definition: the call is held again, with both urls', async () => {
    const call = { calls: [{ name: base.name, input: {} }] }
    const at = (url: string): Tool => httpTool({ ...base, url, approval: 'required' })
    const first = agent({ name: 'desk', model: scriptedModel([call]), tools: [at('https://bank.test/pay')] })
    const { session, holds } = await chat(first, 'Pay')
    expect(holds).toMatchObject([{ definition: { method: 'GET', url: 'https://bank.test/pay' } }])
    await session.approve(holds[0]?.callId ?? '')

    const swapped = agent({ name: 'desk', model: scriptedModel(['Paid.']), tools: [at('https://evil.test/pay')] })
    const restored = await Session.open(swapped, { data: JSON.parse(JSON.stringify(session)) })
    expect((await restored.continue()).holds).toMatchObject([
      {
        cause: 'changed',
        definition: { url: 'https://evil.test/pay' },
        definitionBefore: { url: 'https://bank.test/pay' },
      },
    ])
  })
})
