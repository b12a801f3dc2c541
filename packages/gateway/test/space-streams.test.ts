/** The stream of a space over HTTP, and the calls that are visible in it. */
import { afterEach, expect, test } from 'vitest'
import type { JsonObject, LogEvent, Model, ModelPart } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import type { StreamMessage } from '@holdpoint/protocol'
import { followStream, isEvent, isFrame, seqsOf } from './follow-stream.ts'
import { kit, type Kit } from './kit.ts'

const open: Kit[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const usage = { inputTokens: 1, outputTokens: 1 }
const finish: ModelPart = { type: 'finish', reason: 'calls', usage }

/** Streams a call in pieces, as models do. */
function* call(id: string, name: string, input: JsonObject): Generator<ModelPart> {
  const text = JSON.stringify(input)
  for (let at = 0; at < text.length; at += 8) yield { type: 'call-input', id, name, delta: text.slice(at, at + 8) }
  yield { type: 'call', id, name, input: text }
}

const enter = (): Generator<ModelPart> => call('c0', 'enter_space', { space: 'trip' })

const inputSchema = { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] }
const clerk = {
  name: 'clerk',
  model: 'clerk',
  tools: [
    { name: 'confirm', description: 'Ask', inputSchema, executionType: 'space', isAsync: true },
    { name: 'look', description: 'Look up', inputSchema, executionType: 'external', timeout: 30_000 },
    { name: 'book', description: 'Book', inputSchema, executionType: 'internal', visible: true },
  ],
}

async function start(model: Model): Promise<Kit> {
  const here = await kit({ models: { clerk: model } })
  open.push(here)
  expect((await here.ask('POST', '/api/agents', { body: clerk })).status).toBe(201)
  const members = [{ member: { kind: 'agent', id: 'clerk' } }]
  await here.ask('POST', '/api/spaces', { body: { id: 'trip', name: 'Trip', by: 'ada', members } })
  return here
}

const say = ({ ask }: Kit, text: string): ReturnType<Kit['ask']> =>
  ask('POST', '/api/spaces/trip/messages', { body: { text, from: { kind: 'human', id: 'ada' } } })

type Started = Extract<LogEvent, { readonly type: 'tool.started' }>

function startedIn(messages: readonly StreamMessage[], name: string): Started | undefined {
  return messages
    .flatMap((message) => (message.kind === 'event' && message.event.type === 'tool.started' ? [message.event] : []))
    .find((event) => event.name === name)
}

/** The types of events and frames of one call, in order and without repeats. */
function typesOf(messages: readonly StreamMessage[], callId: string): readonly string[] {
  const items = messages.flatMap((message): readonly StreamItem[] =>
    message.kind === 'event' ? [message.event] : message.kind === 'frame' ? [message.frame] : [],
  )
  const about = items.flatMap((item) => ('toolCallId' in item && item.toolCallId === callId ? [item.type] : []))
  return [...new Set(about)]
}

const steps: Model = {
  id: 'clerk',
  async *stream({ prompt }) {
    const last = JSON.stringify(prompt.at(-1))
    if (last.includes('Book a hotel')) {
      yield* enter()
      yield* call('c1', 'confirm', { what: 'A hotel in Tokyo' })
      yield finish
    } else if (prompt.at(-1)?.role === 'tool') {
      yield { type: 'text', id: 't', delta: 'Going on with other things.' }
      yield { type: 'finish', reason: 'stop', usage }
    } else if (last.includes('confirmed')) {
      yield* enter()
      yield* call('c2', 'book', { what: 'Tokyo' })
      yield* call('c3', 'look', { what: 'the weather' })
      yield finish
    } else yield finish
  },
}

test('an async call in a space: pending, answered, resolved, in the inbox, in the next cycle, complete', async () => {
  const here = await start(steps)
  const stream = await followStream(here, 'trip', { of: 'spaces' })
  await say(here, 'Book a hotel in Tokyo')
  const asked = await stream.until(isEvent('agent.rested'))
  const confirm = startedIn(asked, 'confirm')
  expect(confirm).toMatchObject({ status: 'requires_action', agent: 'clerk', input: { what: 'A hotel in Tokyo' } })
  const { toolCallId: callId = '' } = confirm ?? {}
  expect(typesOf(asked, callId)).toEqual(['tool.started', 'tool.streaming'])

  // The agent got the result `pending`, and its cycle has ended.
  const events = async (): Promise<readonly LogEvent[]> =>
    (await here.ask('GET', '/api/conversations/agent%3Aclerk/events')).body.items
  const settled = (await events()).find((event) => event.type === 'call.settled' && event.callId === callId)
  expect(settled).toMatchObject({ outcome: { ok: true, value: { status: 'pending', toolCallId: callId } } })
  expect((await here.ask('GET', '/api/agents/clerk/life')).body).toMatchObject({ status: 'asleep', waiting: 0 })

  const [runId = ''] = callId.split('.')
  const path = `/api/runs/${runId}/tool-results`
  const response = await here.ask('POST', path, { as: 'resolver', body: { callId, result: { confirmed: true } } })
  expect(response).toMatchObject({ status: 200, body: { verdict: 'accepted' } })

  const after = await stream.until((message) => startedIn([message], 'look') !== undefined)
  const done = after.find((each) => each.kind === 'event' && each.event.type === 'tool.done')
  expect(done).toMatchObject({ event: { toolCallId: callId, output: { confirmed: true } } })
  expect(typesOf([...asked, ...after], callId)).toEqual(['tool.started', 'tool.streaming', 'tool.done'])
  const arrived = (await events()).filter((event) => event.type === 'answer.arrived')
  expect(arrived).toMatchObject([{ callId, outcome: { ok: true, value: { confirmed: true } } }])
  const { body: view } = await here.ask('GET', '/api/spaces/trip')
  expect(view.messages[1]).toMatchObject({ kind: 'tool', status: 'complete', output: { confirmed: true } })

  // A call that is not async has its result inline, not in the inbox. Here it failed.
  const look = startedIn(after, 'look')
  expect(look).toMatchObject({ status: 'requires_action' })
  const { toolCallId = '' } = look ?? {}
  const failed = { callId: toolCallId, error: 'No weather today' }
  await here.ask('POST', `/api/runs/${toolCallId.split('.')[0]}/tool-results`, { as: 'worker', body: failed })
  const end = await stream.until(isEvent('agent.rested'))
  const error = end.find((each) => each.kind === 'event' && each.event.type === 'tool.error')
  expect(error).toMatchObject({
    event: { toolCallId, error: { message: expect.stringContaining('No weather today') } },
  })
  expect((await events()).filter((event) => event.type === 'answer.arrived')).toHaveLength(1)
  expect(startedIn([...after, ...end], 'book')).toMatchObject({ status: 'running' })
  const seqs = seqsOf([...asked, ...after, ...end])
  expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1))
  await stream.close()
})

/** Pauses in the middle of a message until released. */
function halting(): { readonly model: Model; readonly halfway: Promise<void>; goOn(): void } {
  const halfway = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const model: Model = {
    id: 'clerk',
    async *stream({ prompt }) {
      if (prompt.at(-1)?.role === 'tool') return yield { type: 'finish', reason: 'stop', usage }
      yield* enter()
      for (const delta of ['{"text":"Once ', 'upon '])
        yield { type: 'call-input', id: 'c1', name: 'send_message', delta }
      halfway.resolve()
      await gate.promise
      yield { type: 'call-input', id: 'c1', name: 'send_message', delta: 'a time"}' }
      yield { type: 'call', id: 'c1', name: 'send_message', input: '{"text":"Once upon a time"}' }
      yield finish
    },
  }
  return { model, halfway: halfway.promise, goOn: gate.resolve }
}

test('a reader that joins while a message is written gets the text so far, and then the rest', async () => {
  const { model, halfway, goOn } = halting()
  const here = await start(model)
  await say(here, 'Tell me a story')
  await halfway
  const stream = await followStream(here, 'trip', { of: 'spaces' })
  const sofar = await stream.until(isFrame('message.streaming'))
  expect(sofar.at(-1)).toMatchObject({ frame: { agent: 'clerk', at: 0, delta: 'Once upon ' } })
  goOn()
  const rest = await stream.until((each) => each.kind === 'event' && each.event.type === 'agent.rested')
  expect(rest.find(isFrame('message.streaming'))).toMatchObject({ frame: { at: 10, delta: 'a time' } })
  expect(rest.some((each) => each.kind === 'event' && each.event.type === 'message.posted')).toBe(true)
  await stream.close()
  // A reader that joins now gets the stored message and no text in progress.
  const late = await followStream(here, 'trip', { of: 'spaces' })
  const all = await late.until(isEvent('agent.rested'))
  expect(all.some(isFrame('message.streaming'))).toBe(false)
  await late.close()
})

test('a repeated trigger is handled once; a plan can be deleted', async () => {
  const here = await start(steps)
  const { ask } = here
  const trigger = '/api/agents/clerk/trigger'
  expect((await ask('POST', trigger, { body: { id: 'i-1', name: 'paid' } })).body).toEqual({ id: 'i-1' })
  const again = await ask('POST', trigger, { body: { id: 'i-1', name: 'paid' } })
  expect(again).toMatchObject({ status: 202, body: { id: 'i-1', repeated: true } })
  const first = await ask('POST', trigger, { body: { name: 'paid' }, key: 'k' })
  expect((await ask('POST', trigger, { body: { name: 'paid' }, key: 'k' })).body).toEqual(first.body)
  const { body } = await ask('GET', '/api/conversations/agent%3Aclerk/events')
  expect(JSON.stringify(body).match(/"name":"paid"/g)?.length).toBeGreaterThanOrEqual(2)

  const plans = '/api/agents/clerk/plans'
  const monday = { id: 'm', what: 'Look', cron: '0 9 * * 1', timeZone: 'Europe/Paris' }
  expect(await ask('POST', plans, { body: monday })).toMatchObject({ status: 200, body: { id: 'm', missed: 'once' } })
  for (const wrong of [{ ...monday, timeZone: 'Mars' }, { what: 'x' }, { what: 'x', scheduledAt: 'soon' }])
    expect(await ask('POST', plans, { body: wrong }), JSON.stringify(wrong)).toMatchObject({ status: 422 })
  expect((await ask('GET', plans)).body.items).toHaveLength(1)
  expect((await ask('DELETE', `${plans}/m`)).status).toBe(204)
  expect((await ask('DELETE', `${plans}/m`)).status).toBe(404)
})
