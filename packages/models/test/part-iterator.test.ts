import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { ModelError } from '@holdpoint/core'
import { expect, test, vi } from 'vitest'
import { aiSdkModel } from '../src/index.ts'
import { ask, failure, request } from './ask.ts'
import { v4 } from './scripted.ts'

const hello: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'hello' }

/** A stream that sends one text and stays open, and whether it was cancelled. */
function endless() {
  const cancelled = vi.fn<(reason: unknown) => void>()
  const stream = new ReadableStream<LanguageModelV4StreamPart>({ start: (c) => c.enqueue(hello), cancel: cancelled })
  return { stream, cancelled, model: aiSdkModel(v4(() => Promise.resolve({ stream }))) }
}

/** Counts the abort listeners that are still there. */
function watched() {
  const stop = new AbortController()
  const add = vi.spyOn(stop.signal, 'addEventListener')
  const remove = vi.spyOn(stop.signal, 'removeEventListener')
  return { stop, listeners: () => add.mock.calls.length - remove.mock.calls.length }
}

test('the vendor is not called before a consumer reads', async () => {
  const model = v4([hello])
  const stream = aiSdkModel(model).stream(request())
  expect(model.asked).toHaveLength(0)
  for await (const _ of stream) break
  expect(model.asked).toHaveLength(1)
})

test('a consumer that stops before its first read sends no request', async () => {
  const model = v4([hello])
  const parts = aiSdkModel(model).stream(request())[Symbol.asyncIterator]()

  await parts.return?.()

  expect(await parts.next()).toEqual({ done: true, value: undefined })
  expect(model.asked).toHaveLength(0)
})

test('a consumer that stops cancels the stream and leaves no lock or abort listener', async () => {
  const { stream, cancelled, model } = endless()
  const { stop, listeners } = watched()

  for await (const _ of model.stream(request({ signal: stop.signal }))) break

  expect(cancelled).toHaveBeenCalledOnce()
  expect(stream.locked).toBe(false)
  expect(listeners()).toBe(0)
})

test('a stream that ended leaves no lock or abort listener, and stays ended', async () => {
  const stream = new ReadableStream<LanguageModelV4StreamPart>({ start: (c) => (c.enqueue(hello), c.close()) })
  const { stop, listeners } = watched()
  const parts = aiSdkModel(v4(() => Promise.resolve({ stream })))
    .stream(request({ signal: stop.signal }))
    [Symbol.asyncIterator]()

  expect(await parts.next()).toEqual({ done: false, value: { type: 'text', id: '0', delta: 'hello' } })
  expect(await parts.next()).toEqual({ done: true, value: undefined })
  stop.abort()

  expect(await parts.next()).toEqual({ done: true, value: undefined })
  expect(stream.locked).toBe(false)
  expect(listeners()).toBe(0)
})

test('a failed stream throws its error once and leaves no lock', async () => {
  const cancelled = vi.fn<(reason: unknown) => void>()
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start: (c) => c.enqueue({ type: 'error', error: { message: 'it broke' } }),
    cancel: cancelled,
  })
  const parts = aiSdkModel(v4(() => Promise.resolve({ stream })))
    .stream(request())
    [Symbol.asyncIterator]()

  await expect(parts.next()).rejects.toThrow('it broke')

  expect(await parts.next()).toEqual({ done: true, value: undefined })
  expect(cancelled).toHaveBeenCalledOnce()
  expect(stream.locked).toBe(false)
})

test('an abort ends the wait for a vendor that ignores the signal', async () => {
  const { stream, cancelled, model } = endless()
  const stop = new AbortController()
  const parts = model.stream(request({ signal: stop.signal }))[Symbol.asyncIterator]()
  await parts.next()
  const waiting = parts.next()

  stop.abort(new Error('enough'))

  await expect(waiting).rejects.toThrow('enough')
  expect(cancelled).toHaveBeenCalledWith(stop.signal.reason)
  expect(stream.locked).toBe(false)
  expect(await parts.next()).toEqual({ done: true, value: undefined })
})

test('an abort between two parts is thrown by the next read', async () => {
  const { cancelled, model } = endless()
  const stop = new AbortController()
  const parts = model.stream(request({ signal: stop.signal }))[Symbol.asyncIterator]()
  await parts.next()

  stop.abort()

  expect(cancelled).toHaveBeenCalledOnce()
  await expect(parts.next()).rejects.toMatchObject({ name: 'AbortError' })
  expect(await parts.next()).toEqual({ done: true, value: undefined })
})

test('an abort does not wait for the vendor to answer, and a late answer is cancelled', async () => {
  const { stream, cancelled } = endless()
  const late = Promise.withResolvers<{ stream: typeof stream }>()
  const stop = new AbortController()
  const waiting = ask(aiSdkModel(v4(() => late.promise)), { signal: stop.signal })

  stop.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  late.resolve({ stream })

  await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
  expect(stream.locked).toBe(false)
})

test('if a consumer stops before the vendor answers, the iteration ends and the late answer is cancelled', async () => {
  const { stream, cancelled } = endless()
  const late = Promise.withResolvers<{ stream: typeof stream }>()
  const parts = aiSdkModel(v4(() => late.promise))
    .stream(request())
    [Symbol.asyncIterator]()
  const waiting = parts.next()

  await parts.return?.()
  late.resolve({ stream })

  expect(await waiting).toEqual({ done: true, value: undefined })
  expect(cancelled).toHaveBeenCalledOnce()
  expect(stream.locked).toBe(false)
})

test('a signal that is already aborted sends no request', async () => {
  const model = v4([hello])
  expect(await failure(aiSdkModel(model), { signal: AbortSignal.abort() })).toMatchObject({ name: 'AbortError' })
  expect(model.asked).toHaveLength(0)
})

test('a vendor package that throws synchronously fails like one that rejects', async () => {
  const model = aiSdkModel(
    v4(() => {
      throw new Error('no key')
    }),
  )
  expect(await failure(model)).toBeInstanceOf(ModelError)
})

test('a vendor package that returns no stream fails instead of hanging', async () => {
  expect(await failure(aiSdkModel(v4(() => Promise.resolve({} as never))))).toBeInstanceOf(ModelError)
})

test('a stream that breaks because of an abort throws the abort reason', async () => {
  const stop = new AbortController()
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    pull: (c) => {
      c.error(new TypeError('terminated'))
      stop.abort(new Error('enough'))
    },
  })
  const model = aiSdkModel(v4(() => Promise.resolve({ stream })))
  expect(await failure(model, { signal: stop.signal })).toBe(stop.signal.reason)
})

test('an error while cancelling the stream is ignored', async () => {
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start: (c) => c.enqueue(hello),
    cancel: () => Promise.reject(new Error('cannot cancel')),
  })
  const model = aiSdkModel(v4(() => Promise.resolve({ stream })))

  for await (const _ of model.stream(request())) break

  expect(stream.locked).toBe(false)
})
