/** Hooks on what the model says: as it comes, and before it stands. */
import { scriptedModel } from '@holdpoint/testing'
import {
  aiSdkModel,
  halt,
  messagesOf,
  ModelError,
  type Model,
  type ModelPart,
  type ModelRequest,
  type ReplyHook,
  type StreamHook,
} from 'holdpoint'
import { expect, test } from 'vitest'
import { calls, noting, World, type Setup } from '../../../../test/kit/runtime-kit.ts'

/** Sends back what is not in capitals. */
const loud: ReplyHook = {
  name: 'loud',
  run: ({ text }) => (text === text.toUpperCase() ? undefined : { again: 'Say it louder.' }),
}

const sentBack = ({ prompt }: ModelRequest): number => JSON.stringify(prompt).split('Say it louder.').length - 1
const quietThenLoud = (request: ModelRequest): string => (sentBack(request) > 0 ? 'LOUD' : 'quiet')

function setup(hooks: Hooks, says: NonNullable<Setup['says']>, more: Setup = {}): Setup {
  return { says, agent: { hooks }, ...more }
}
type Hooks = NonNullable<NonNullable<Setup['agent']>['hooks']>

test('a reply that is sent back is answered by another one, and later turns are shown only that', async () => {
  const world = new World()
  const a = await world.process('a', setup({ afterMessage: [loud] }, [quietThenLoud]))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'done', text: 'LOUD', steps: { length: 2 } })

  expect(a.model.requests[1]!.prompt.map((message) => [message.role, 'parts' in message ? message.parts : []])).toEqual(
    [
      ['user', [{ type: 'text', text: 'Hi' }]],
      ['assistant', [{ type: 'text', text: 'quiet' }]],
      ['user', [{ type: 'text', text: 'Say it louder.' }]],
    ],
  )
  const log = await world.log()
  expect(log[1]).toMatchObject({ type: 'model.replied', again: { hook: 'loud', feedback: 'Say it louder.' } })
  await a.runtime.send('c', 'More')
  expect(JSON.stringify(a.model.requests[2]!.prompt)).not.toContain('quiet')
})

test('so many are sent back and no more; then it stands as it is', async () => {
  let nth = 0
  const says = [() => `reply ${++nth}`]
  const a = await new World().process('a', setup({ afterMessage: [loud], regenerations: 3 }, says))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'done', text: 'reply 4' })
  expect(a.model.requests).toHaveLength(4)
})

test('what people see of a turn is the reply that stood', async () => {
  const a = await new World().process('a', setup({ afterMessage: [loud] }, [quietThenLoud]))
  await a.runtime.send('c', 'Hi')
  const view = await a.runtime.view('c')
  expect(messagesOf(view!).at(-1)).toMatchObject({
    parts: [{ type: 'text', text: 'LOUD' }],
    ended: { reason: 'completed' },
  })
  expect(view?.turns[0]?.steps[0]).toMatchObject({ sentBack: { hook: 'loud' } })
})

test('a process that dies after a reply was sent back goes on with the next one', async () => {
  const world = new World()
  const a = await world.process('a', {
    ...setup({ afterMessage: [loud] }, [quietThenLoud]),
    after: (question, given, life) => {
      if (question === 'append' && JSON.stringify(given).includes('again')) life.kill()
      return undefined
    },
  })
  void a.runtime.send('c', 'Hi')
  await world.calm()
  const b = await world.process('b', setup({ afterMessage: [loud] }, [quietThenLoud]))
  await world.pass(30_000)
  expect((await world.log()).map((event) => ('reply' in event ? event.reply.parts[0] : event.type))).toEqual([
    'turn.started',
    { type: 'text', text: 'quiet' },
    { type: 'text', text: 'LOUD' },
  ])
  expect(b.model.requests).toHaveLength(1)
})

test('a reply hook can end the turn, and one that fails ends it too', async () => {
  const ends: ReplyHook = { name: 'ends', run: () => halt('Enough.') }
  const fails: ReplyHook = { name: 'fails', run: () => Promise.reject(new Error('down')) }
  const a = await new World().process('a', setup({ afterMessage: [ends] }, ['Hm.']))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'stopped', reason: 'halted', message: 'Enough.' })
  const b = await new World().process('b', setup({ afterMessage: [fails] }, ['Hm.']))
  const failed = await b.runtime.send('c', 'Hi')
  expect(failed).toMatchObject({ status: 'failed', reason: 'hook_failed', text: '' })
  expect(failed.message).toContain('"fails"')
})

test('replies with calls are not looked at: they do not end the turn', async () => {
  const seen: string[] = []
  const look: ReplyHook = { name: 'look', run: ({ text }) => void seen.push(text) }
  const says = [calls('work'), 'Done.']
  const a = await new World().process('a', setup({ afterMessage: [look] }, says, { tools: [noting([], 'work')] }))
  await a.runtime.send('c', 'Hi')
  expect(seen).toEqual(['Done.'])
})

const finish = { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } } as const

/** Hides numbers of cards, also where they come in pieces: it holds back what may be the beginning of one. */
const redact: StreamHook = {
  name: 'cards',
  open: () => {
    let held = ''
    let id = ''
    return {
      part: (part): ModelPart | undefined => {
        if (part.type !== 'text') return part
        id = part.id
        const text = (held + part.delta).replaceAll(/\d{8}/g, '********')
        held = /\d*$/.exec(text)![0]
        return { ...part, delta: text.slice(0, text.length - held.length) }
      },
      end: () => (held === '' ? [] : [{ type: 'text', id, delta: held }]),
    }
  },
}

test('what a stream hook hides is in no frame, in no event and in no prompt, also when it comes in pieces', async () => {
  const world = new World()
  const parts = ['Your card 12', '34', '5678 is', ' fine, 99'].map(
    (delta) => ({ type: 'text', id: 't', delta }) as const,
  )
  const a = await world.process('a', setup({ onStream: [redact] }, [[...parts, finish]]))
  const items: unknown[] = []
  const watching = (async () => {
    for await (const item of a.runtime.subscribe('c')) items.push(item)
  })()
  expect(await a.runtime.send('c', 'Card?')).toMatchObject({ text: 'Your card ******** is fine, 99' })
  await a.runtime.send('c', 'Again?')
  await a.runtime.close()
  await watching
  expect(JSON.stringify(items)).not.toMatch(/1234|5678/)
  expect(JSON.stringify(items)).toContain('99')
  expect(JSON.stringify(a.model.requests)).not.toMatch(/1234|5678/)
})

test('several stream hooks pass on to one another, and may make nothing or more of a piece', async () => {
  const twice: StreamHook = { name: 'twice', open: () => ({ part: (part) => (part.type === 'text' ? [part, part] : part) }) } // prettier-ignore
  const drop: StreamHook = { name: 'drop', open: () => ({ part: (part) => (part.type === 'text' && part.delta === 'b' ? undefined : part) }) } // prettier-ignore
  const parts = ['a', 'b', 'c'].map((delta) => ({ type: 'text', id: 't', delta }) as const)
  const a = await new World().process('a', setup({ onStream: [twice, drop] }, [[...parts, finish]]))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ text: 'aacc' })
})

test.each([
  ['throws', () => { throw new Error('broken') }], // prettier-ignore
  ['gives nonsense', () => ({ type: 'nonsense' }) as never],
])('a stream hook that %s lets nothing through: the turn fails', async (_, part) => {
  const bad: StreamHook = { name: 'bad', open: () => ({ part }) }
  const world = new World()
  const a = await world.process('a', setup({ onStream: [bad] }, ['secret']))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'failed', reason: 'hook_failed' })
  expect(JSON.stringify(await world.log())).not.toContain('secret')
})

test('a reply that made a hook end the turn is never shown as the agent’s message, nor to the model later', async () => {
  const guard: ReplyHook = { name: 'guard', run: ({ text }) => (text.includes('secret') ? halt('No.') : undefined) }
  const says = [({ prompt }: ModelRequest) => (JSON.stringify(prompt).includes('Again') ? 'Fine.' : 'the secret')]
  const a = await new World().process('a', setup({ afterMessage: [guard] }, says))
  const ended = await a.runtime.send('c', 'Hi')
  expect(ended).toMatchObject({ reason: 'halted', text: '', steps: [{ refused: true }] })
  expect(JSON.stringify(messagesOf((await a.runtime.view('c'))!))).not.toContain('secret')
  expect(await a.runtime.send('c', 'Again')).toMatchObject({ text: 'Fine.' })
  expect(JSON.stringify(a.model.requests.at(-1)!.prompt)).not.toContain('secret')
})

test('a reply that was cut off is looked at too', async () => {
  const guard: ReplyHook = { name: 'guard', run: () => halt('No.') }
  const cut = [{ type: 'text', id: 't', delta: 'half a secret' }] as const
  const a = await new World().process('a', setup({ afterMessage: [guard] }, [cut]))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ reason: 'halted', text: '' })
})

test('feedback stays until the model has answered it in words, whatever it does before', async () => {
  const says = [
    (request: ModelRequest) => (sentBack(request) > 0 ? calls('work') : 'quiet'),
    (request: ModelRequest) => (sentBack(request) > 0 ? 'LOUD' : 'quiet again'),
  ]
  const tools = [noting([], 'work')]
  const a = await new World().process('a', setup({ afterMessage: [loud], regenerations: 1 }, says, { tools }))
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ text: 'LOUD' })
})

test('where no step is left to do better, a reply stands', async () => {
  const a = await new World().process('a', {
    says: ['quiet'],
    agent: { hooks: { afterMessage: [loud] }, maxSteps: 1 },
  })
  expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'done', text: 'quiet' })
})

test('a stream hook that fails ends the turn, also through a vendor’s package: no call is made, no other model asked', async () => {
  const parts = [
    { type: 'tool-call', toolCallId: 'c', toolName: 'work', input: '{}' },
    { type: 'text-delta', id: 't', delta: 'secret' },
    { type: 'finish', usage: { inputTokens: {}, outputTokens: {} }, finishReason: { unified: 'stop' } },
  ]
  const vendor = {
    specificationVersion: 'v4',
    provider: 'hand.made',
    modelId: 'one',
    doStream: async () => ({ stream: ReadableStream.from(parts) }),
  }
  const bad: StreamHook = { name: 'bad', open: () => ({ part: (part) => (part.type === 'text' ? fail() : part) }) }
  const ran: string[] = []
  const other = scriptedModel(['Other.'])
  const a = await new World().process('a', {
    tools: [noting(ran, 'work')],
    agent: { model: aiSdkModel(vendor as never), fallback: [other], hooks: { onStream: [bad] } },
  })
  const { reason, message } = await a.runtime.send('c', 'Hi')
  expect({ reason, message }).toEqual({ reason: 'hook_failed', message: 'The hook "bad" failed: broken' })
  expect([ran, other.requests]).toEqual([[], []])
})

function fail(): never {
  throw new Error('broken')
}

test('a vendor is not asked again once it began to answer, also when a hook holds back what came', async () => {
  let asked = 0
  const model: Model = {
    id: 'breaks',
    async *stream() {
      asked++
      yield { type: 'text', id: 't', delta: '1234567890' }
      throw new ModelError('reset', { retryable: true, retryAfterMs: 1 })
    },
  }
  const holds: StreamHook = {
    name: 'holds',
    open: () => ({ part: (part) => (part.type === 'text' ? undefined : part) }),
  }
  const world = new World()
  const a = await world.process('a', { agent: { model, fallback: [model], hooks: { onStream: [holds] } } })
  expect(await world.soon(a.runtime.send('c', 'Hi'))).toMatchObject({ reason: 'interrupted' })
  expect(asked).toBe(1)
})
