import { chat } from '@holdpoint/runtime'
import { scriptedModel } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agent } from '../src/agent.ts'
import { httpTool } from '../src/http-tool/http-tool.ts'
import { base, json, local, run, serve } from './http-tool-kit.ts'

describe('What is sent', () => {
  test('fields stand in for their placeholders, and the others go to the query', async () => {
    const server = await serve(json([]))
    await run(local(server.port, {}, '/users/{id}/notes?v=1&q={q}'), {
      id: 'a/b c',
      q: 'x&y=z',
      tags: ['a', 'b'],
      where: { n: 1 },
      page: 2,
      all: false,
      none: null,
      'odd name': 'é',
    })
    expect(server.seen).toMatchObject([
      {
        method: 'GET',
        body: '',
        url: '/users/a%2Fb%20c/notes?v=1&q=x%26y%3Dz&tags=%5B%22a%22%2C%22b%22%5D&where=%7B%22n%22%3A1%7D&page=2&all=false&odd%20name=%C3%A9',
      },
    ])
  })

  test.each<['POST' | 'PUT' | 'PATCH']>([['POST'], ['PUT'], ['PATCH']])(
    'the fields of a %s that have no placeholder are a JSON body',
    async (method) => {
      const server = await serve(json({ ok: true }))
      expect(await run(local(server.port, { method }, '/users/{id}'), { id: 7, name: 'Ada', tags: [] })).toEqual({
        status: 200,
        body: { ok: true },
      })
      expect(server.seen).toMatchObject([
        {
          method,
          url: '/users/7',
          body: '{"name":"Ada","tags":[]}',
          headers: { 'content-type': 'application/json', 'content-length': '24' },
        },
      ])
    },
  )

  test.each<['GET' | 'HEAD' | 'DELETE']>([['GET'], ['HEAD'], ['DELETE']])('a %s has no body', async (method) => {
    const server = await serve(json('x'))
    expect(await run(local(server.port, { method }), { a: 1 })).toEqual({
      status: 200,
      body: method === 'HEAD' ? null : 'x',
    })
    expect(server.seen).toMatchObject([{ method, url: '/?a=1', body: '' }])
    expect(server.seen[0]?.headers['content-type']).toBeUndefined()
  })

  test('a HEAD is told what a GET would give, and reads none of it', async () => {
    const server = await serve(
      (_, response) => void response.writeHead(200, { 'content-length': 10_000_000, 'content-encoding': 'gzip' }).end(),
    )
    expect(await run(local(server.port, { method: 'HEAD' }))).toEqual({ status: 200, body: null })
  })

  test('the call id goes out as the idempotency key, unless the author has another', async () => {
    const server = await serve(json(1))
    await run(local(server.port, { method: 'POST' }))
    await run(local(server.port, { method: 'POST', headers: { 'Idempotency-Key': 'mine' } }))
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['turn-1.1.1', 'mine'])
  })

  test('headers can be made for each call, from its scope', async () => {
    const server = await serve(json(1))
    const tool = local(server.port, {
      headers: async ({ scope, call }) => ({ Authorization: `Bearer ${String(scope['token'])}`, 'X-Call': call.name }),
    })
    await run(tool, {}, { scope: { token: 't-1' } })
    await run(tool, {}, { scope: { token: 't-2' } })
    expect(server.seen.map(({ headers }) => [headers.authorization, headers['x-call']])).toEqual([
      ['Bearer t-1', 'api.call'],
      ['Bearer t-2', 'api.call'],
    ])
  })

  test('each call has a connection of its own, which is closed afterwards', async () => {
    const server = await serve(json(1))
    await run(local(server.port))
    await run(local(server.port))
    expect(server.seen.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
    await expect.poll(server.connections).toBe(0)
  })

  test.each(['..', '.', '../admin', 'a/../../admin', '..\\admin', '', 'x/.'])(
    'the model cannot climb out of its place in the path with %j',
    async (id) => {
      const server = await serve(json(1))
      expect(await run(local(server.port, {}, '/users/{id}/notes'), { id })).toMatchObject({
        message: '"id" must not be empty, and must not contain "." or ".." as a part of a path.',
      })
      expect(await run(local(server.port, {}, '/users/{id}/notes'), { id: '...' })).toEqual({ status: 200, body: 1 })
      expect(server.seen).toMatchObject([{ url: '/users/.../notes' }])
    },
  )

  test('nor with two placeholders side by side', async () => {
    const server = await serve(json(1))
    const port = server.port
    expect(await run(local(port, {}, '/a/.{x}/b'), { x: 'y' })).toEqual({ status: 200, body: 1 })
    const dots = httpTool({
      ...base,
      url: `http://127.0.0.1:${port}/a/{x}{y}/b`,
      allowPrivate: true,
      input: z.object({ x: z.string(), y: z.string() }),
    })
    expect(await run(dots, { x: '.', y: '.' })).toMatchObject({ message: expect.stringContaining('must not contain') })
    expect(server.seen).toHaveLength(1)
  })

  test('a placeholder without a value, or with broken text, is told to the model', async () => {
    const tool = local(1, {}, '/{id}')
    expect(await run(tool, {})).toMatchObject({ message: '"id" is needed: it is a part of the url.' })
    expect(await run(tool, { id: null })).toMatchObject({ message: '"id" is needed: it is a part of the url.' })
    expect(await run(tool, { id: '\ud800' })).toMatchObject({ message: '"id" is not well-formed text.' })
    expect(await run(local(1, {}, '/{toString}'), {})).toMatchObject({
      message: '"toString" is needed: it is a part of the url.',
    })
    expect(await run(local(1), [] as never)).toMatchObject({
      message: 'The input is not an object, so it has no fields to send.',
    })
  })
})

describe('What the model is told', () => {
  const answering = async (type: string, body: string | Buffer, status = 200): Promise<unknown> => {
    const server = await serve(
      (_, response) => void response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body),
    )
    return run(local(server.port))
  }

  test.each<[string, string | Buffer, unknown]>([
    ['application/json', '{"a":[1]}', { a: [1] }],
    ['application/json; charset=utf-8', '"é"', 'é'],
    ['application/problem+json', '{"a":1}', { a: 1 }],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['text/html; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['text/plain; charset=klingon', 'hi', 'hi'],
    ['', 'bare', 'bare'],
    ['application/json', '', null],
  ])('%s %j', async (type, body, told) => {
    expect(await answering(type, body)).toEqual({ status: 200, body: told })
  })

  test('a service that says no is an error, with what it said', async () => {
    expect(await answering('application/json', '{"error":"no such user"}', 404)).toMatchObject({
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 404\.$/),
      details: { status: 404, body: { error: 'no such user' } },
    })
    expect(await answering('application/json', 'oops', 500)).toMatchObject({
      message: expect.stringContaining('answered 500.'),
      details: { status: 500, body: 'oops' },
    })
  })

  test('JSON that is none is an error that says the request was carried out', async () => {
    expect(await answering('application/json', '{"a":')).toMatchObject({
      message: expect.stringMatching(
        /answered 200, so the request was carried out, but the JSON it sent cannot be read: /,
      ),
      details: { status: 200, body: '{"a":' },
    })
    expect(await answering('application/json', '['.repeat(500) + ']'.repeat(500))).toMatchObject({
      message: expect.stringContaining('nested deeper than 128 levels'),
    })
  })

  test('an answer of 204 has no body', async () => {
    const server = await serve((_, response) => void response.writeHead(204).end())
    expect(await run(local(server.port))).toEqual({ status: 204, body: null })
  })

  test('in a conversation, an answer is a result and a failure is an error', async () => {
    const server = await serve((request, response) =>
      json({ path: request.url }, request.url === '/1' ? 200 : 404)(request, response),
    )
    const tool = httpTool({
      name: 'api.get',
      description: 'Gets',
      input: z.object({ id: z.number() }),
      url: `http://127.0.0.1:${server.port}/{id}`,
      allowPrivate: true,
    })
    const model = scriptedModel([
      {
        calls: [
          { name: 'api.get', input: { id: 1 } },
          { name: 'api.get', input: { id: 2 } },
          { name: 'api.get', input: { id: 'x' } },
        ],
      },
      'Done.',
    ])
    await chat(agent({ name: 'desk', model, tools: [tool] }), 'Go')
    const told = JSON.stringify(model.requests[1]?.prompt)
    expect(told).toContain('"status":200')
    expect(told).toContain('answered 404.')
    expect(server.seen.map(({ url }) => url).toSorted()).toEqual(['/1', '/2'])
  })
})
