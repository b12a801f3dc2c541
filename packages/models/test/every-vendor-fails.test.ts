/** Failures of every vendor, through its real AI SDK package and wire format. */
import { ModelError } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, failure, request } from './ask.ts'
import { vendors } from './vendors/all.ts'
import { vendorServer } from './vendors/server.ts'

describe.each(vendors)('$name', (vendor) => {
  async function start() {
    const server = await vendorServer()
    return { server, model: aiSdkModel(vendor.model(server.url)) }
  }

  test.each([
    { status: 400, retryable: false },
    { status: 401, retryable: false },
    { status: 409, retryable: true },
    { status: 500, retryable: true },
    { status: 529, retryable: true },
  ])('turns HTTP $status into an error whose retryable is $retryable', async ({ status, retryable }) => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ status, body: vendor.refuses('no, sorry') })

    const error = await failure(model)

    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ message: 'no, sorry', status, retryable, retryAfterMs: undefined })
  })

  test('passes on the delay of a rate limit', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ status: 429, headers: { 'retry-after': '30' }, body: vendor.refuses('slow down') })

    expect(await failure(model)).toMatchObject({ retryable: true, status: 429, retryAfterMs: 30_000 })
  })

  test('that cannot be reached can be retried', async () => {
    const { server, model } = await start()
    await server[Symbol.asyncDispose]()

    const error = await failure(model)

    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ retryable: true, status: undefined })
  })

  test('whose connection breaks during a reply can be retried', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.begins('Once upon'), open: true })
    let heard = ''

    const error = await (async () => {
      for await (const part of model.stream(request())) {
        if (part.type !== 'text' || part.delta === '') continue
        heard += part.delta
        server.cut()
      }
    })().catch((thrown: unknown) => thrown)

    expect(heard).toBe('Once upon')
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ retryable: true, status: undefined })
  })

  test('that reports an error during a reply can be retried', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.begins('Once upon') + vendor.fails })

    const error = await failure(model)

    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ message: 'it broke', retryable: true })
  })

  test('that sends invalid JSON during a reply can be retried', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: `${vendor.begins('Once upon')}data: {"type": "oops\n\n` })

    const error = await failure(model)

    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ retryable: true, status: undefined })
  })

  test('whose reply ends early is never taken for a finished reply', async () => {
    const { server, model } = await start()
    await using _ = server
    server.answer({ body: vendor.begins('Once upon') })

    const end = await ask(model).then(
      (parts) => parts.at(-1),
      (error: unknown) => error,
    )

    expect(end).toMatchObject(vendor.afterSilence)
  })
})
