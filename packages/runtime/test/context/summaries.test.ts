/** A long conversation is summarised after the turn, without delaying a caller, and everything works without summaries. */
import { proves, scriptedModel, type ScriptedModel } from '@holdpoint/testing'
import { ModelError, tool, type Model, type ModelRequest, type PromptMessage } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { World, type Process, type Setup } from '../../../../test/kit/runtime-kit.ts'

const WORDS = 'word '.repeat(40).trim()

/** A model that sums up by saying how much it was shown, and what it was told before. */
function historian(fails: (nth: number) => boolean = () => false): ScriptedModel {
  let asked = 0
  return scriptedModel(
    Array.from({ length: 100 }, () => ({ prompt }: ModelRequest) => {
      if (fails(++asked)) throw new ModelError('No more credit', { retryable: false })
      const said = [...textOf(prompt.at(-1)!).matchAll(/Message (\d+)/g)].map(([, nth]) => nth)
      const before = /Summary (\S+)/.exec(textOf(prompt.at(-1)!))?.[1]
      return `Summary ${[before, ...said].filter(Boolean).join('+')}`
    }),
  )
}

function textOf(message: PromptMessage): string {
  return message.role === 'user' ? message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') : ''
}

function setup(model: Model, more: Setup['agent'] = {}): Setup {
  return { says: [WORDS], agent: { context: { budget: 1500, summarize: { model, chunk: 400 } }, ...more } }
}

async function talk(world: World, { runtime }: Process, from: number, to: number): Promise<void> {
  for (let nth = from; nth <= to; nth++) {
    await runtime.send('c', `Message ${nth}: ${WORDS}`)
    await world.calm()
  }
}

const summaryIn = ({ prompt }: ModelRequest): string | undefined =>
  prompt.flatMap((message) => (message.role === 'system' && message.text.includes('Summary') ? [message.text] : []))[0]

const firstSaid = ({ prompt }: ModelRequest): string =>
  textOf(prompt.find(({ role }) => role === 'user')!).split(':')[0]!

test('the oldest turns give way to a summary, each of them is in it once, and the newest are shown whole', async () => {
  const world = new World()
  const a = await world.process('a', setup(historian()))
  await talk(world, a, 1, 30)

  const last = a.model.requests.at(-1)!
  const told = /Summary ([\d+]+)/
    .exec(summaryIn(last) ?? '')![1]!
    .split('+')
    .map(Number)
  const next = Number(/\d+/.exec(firstSaid(last))![0])
  expect(told).toEqual(Array.from({ length: next - 1 }, (_, index) => index + 1))
  expect(textOf(last.prompt.at(-1)!)).toContain('Message 30')
  expect(next).toBeGreaterThan(10)
})

test(
  proves(
    'prompt.log-untouched',
    'the log is not touched: every event is there, and nothing tells of summaries but where prompts began',
  ),
  async () => {
    const world = new World()
    const a = await world.process('a', setup(historian()))
    await talk(world, a, 1, 20)

    const log = await world.log()
    expect(log).toHaveLength(40)
    const shown = log.flatMap((event) => (event.type === 'model.replied' && event.shown ? [event.shown] : []))
    expect(shown.length).toBeGreaterThan(1)
    for (const { from, summary } of shown) expect(summary).toBe(from - 1)
  },
)

test('prompts begin alike from one summary to the next', async () => {
  const world = new World()
  const a = await world.process('a', setup(historian()))
  await talk(world, a, 1, 40)

  const beginnings = a.model.requests.map(({ prompt }) => JSON.stringify(prompt.slice(0, 3)))
  const changes = beginnings.filter((each, index) => index > 2 && each !== beginnings[index - 1]).length
  expect(changes).toBeGreaterThan(2)
  expect(changes).toBeLessThan(15)
})

test('a sender does not wait for a summary: the turn ends while it is being made, and the next one may begin', async () => {
  const world = new World()
  const gate = Promise.withResolvers<void>()
  const slow: Model = {
    id: 'slow',
    async *stream() {
      await gate.promise
      yield { type: 'text', id: 't', delta: 'Summary late' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  const a = await world.process('a', setup(slow))
  await talk(world, a, 1, 12)
  expect(a.model.requests.some(summaryIn)).toBe(false)

  gate.resolve()
  await world.calm()
  await talk(world, a, 13, 13)
  expect(summaryIn(a.model.requests.at(-1)!)).toContain('Summary late')
})

test(
  proves('summary.optional', 'a summary that cannot be made is reported to the operator, and affects no caller'),
  async () => {
    const world = new World()
    const a = await world.process('a', setup(historian(() => true)))
    await talk(world, a, 1, 20)

    expect(a.model.requests).toHaveLength(20)
    expect(a.problems.map(({ error }) => String(error))).toContainEqual(expect.stringContaining('No more credit'))
    expect(a.model.requests.at(-1)!.prompt.length).toBeLessThan(20)
    expect((await a.runtime.explain('c'))?.steps[0]?.leftOut).toContainEqual(
      expect.objectContaining({ why: 'no-room' }),
    )
  },
)

test('what was cut before a summary could be made is in the next one', async () => {
  const world = new World()
  const a = await world.process('a', setup(historian((nth) => nth < 4)))
  await talk(world, a, 1, 40)

  const told = /Summary ([\d+]+)/
    .exec(summaryIn(a.model.requests.at(-1)!)!)![1]!
    .split('+')
    .map(Number)
  expect(told.slice(0, 5)).toEqual([1, 2, 3, 4, 5])
  expect(new Set(told).size).toBe(told.length)
})

test(
  proves(
    'summary.optional',
    'a process that dies while it sums up loses nothing but that, and another one sums up later',
  ),
  async () => {
    const world = new World()
    const dies: { kill?: () => void } = {}
    const deadly = scriptedModel(Array.from({ length: 9 }, () => () => (dies.kill?.(), 'Summary never')))
    const a = await world.process('a', setup(deadly))
    dies.kill = () => a.kill()
    for (let nth = 1; nth <= 12; nth++) {
      void a.runtime.send('c', `Message ${nth}: ${WORDS}`)
      await world.calm()
    }
    const before = (await world.log()).length
    await world.pass(20_000)
    const b = await world.process('b', setup(historian()))
    await talk(world, b, 20, 40)

    expect((await world.log()).length).toBeGreaterThan(before)
    expect(summaryIn(b.model.requests.at(-1)!)).toContain('Summary 1+2')
  },
)

test(proves('prompt.same-everywhere', 'another process shows the same summary'), async () => {
  const world = new World()
  const a = await world.process('a', setup(historian()))
  await talk(world, a, 1, 25)
  const b = await world.process('b', setup(historian()))
  await talk(world, b, 26, 26)

  expect(summaryIn(b.model.requests[0]!)).toBe(summaryIn({ prompt: await nextPrompt(world, a) } as never))
})

async function nextPrompt(world: World, a: Process): Promise<readonly PromptMessage[]> {
  await talk(world, a, 27, 27)
  return a.model.requests.at(-1)!.prompt
}

test('the summarising model is given calls and their results', async () => {
  const asked: string[] = []
  const model = scriptedModel(
    Array.from({ length: 50 }, () => ({ prompt }: ModelRequest) => {
      asked.push(textOf(prompt.at(-1)!))
      return 'Summary'
    }),
  )
  const world = new World()
  const look = tool({ name: 'look', description: 'Looks', input: z.object({}), run: () => `Found: ${WORDS}` })
  const a = await world.process('a', {
    ...setup(model),
    says: [{ calls: [{ name: 'look' }] }, WORDS],
    tools: [look],
  })
  await talk(world, a, 1, 12)

  expect(asked.join()).toMatch(/Assistant called look: \{\}\nResult of look: \{"ok":true,"result":"Found: word/)
})
