/** `streaming` of a tool: its progress is shown, and screens show its calls as ones that report it. */
import { messagesOf, turnsOf, viewOf, type View } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { chat, stream, tool, type Tool, type ToolContext } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const common = { name: 'build', description: 'Builds', input } as const
const run = ({ progress }: ToolContext<object>): string => {
  progress({ percent: 10 })
  progress({ percent: 60 })
  return 'built'
}

const progressOf = (items: readonly StreamItem[]): unknown[] =>
  items.flatMap((item) => (item.type === 'call-progress' ? [item.value] : []))
const callIn = (view: View) => turnsOf(view)[0]?.steps[0]?.calls[0]

async function shownOf(built: Tool): Promise<unknown[]> {
  const { agent } = desk([{ calls: [call('build')] }, 'Built.'], { tools: [built] })
  return progressOf(await Array.fromAsync(stream(agent, 'Build')))
}

test('a tool that is streaming shows its progress', async () => {
  expect(await shownOf(tool({ ...common, streaming: true, run }))).toEqual([{ percent: 10 }, { percent: 60 }])
})

test('progress of more than 64,000 bytes is not shown, and the operator is told', async () => {
  const problems: string[] = []
  const large = tool({ ...common, streaming: true, run: ({ progress }) => progress('x'.repeat(100_000)) ?? 'built' })
  const { agent } = desk([{ calls: [call('build')] }, 'Built.'], { tools: [large] })
  const seen: StreamItem[] = []
  const onProblem = (error: unknown): void => void problems.push((error as Error).message)
  await chat(agent, 'Build', { watch: (item) => seen.push(item), onProblem })
  expect(progressOf(seen)).toEqual([])
  expect(problems).toEqual(['Tool "build" reports progress of more than 64000 bytes, which is not shown. Report less.'])
})

test('without it nothing is shown, and the operator is told once for each tool', async () => {
  const problems: string[] = []
  const onProblem = (error: unknown): void => void problems.push((error as Error).message)
  const scripts = [{ calls: [call('build'), call('build')] }, 'Built.', { calls: [call('build')] }, 'Again.']
  const { agent } = desk(scripts, { tools: [tool({ ...common, run })] })
  const seen: StreamItem[] = []
  const { session } = await chat(agent, 'Build', { watch: (item) => seen.push(item), onProblem })
  await session.send('Again', { watch: (item) => seen.push(item), onProblem })

  expect(progressOf(seen)).toEqual([])
  expect(session.progress.size).toBe(0)
  expect(problems).toEqual([
    'Tool "build" reports progress, but its declaration does not say "streaming: true", so its progress is not shown.',
  ])
})

test('an async generator is streaming, unless it says that it is not', async () => {
  const generator = async function* () {
    yield 'half'
    return 'built'
  }
  expect(tool({ ...common, run: generator }).streaming).toBe(true)
  expect(tool({ ...common, run: generator, streaming: false }).streaming).toBe(false)
  expect(tool({ ...common, run }).streaming).toBe(false)
  expect(await shownOf(tool({ ...common, run: generator }))).toEqual(['half'])
})

test('the view shows a call of a streaming tool as one, in each of its states', async () => {
  const gated = tool({ ...common, streaming: true, approval: 'required', run })
  const { agent } = desk([{ calls: [call('build')] }, 'Built.'], { tools: [gated] })
  const { session, holds } = await chat(agent, 'Build')
  expect(holds).toMatchObject([{ streaming: true }])
  expect(callIn(viewOf(session.events))).toMatchObject({ state: 'held', streaming: true })

  await session.approve(holds[0]!.callId)
  await session.continue()
  const { events } = session
  const until = (type: string): View => viewOf(events.slice(0, events.findIndex((event) => event.type === type) + 1))
  expect(callIn(until('model.replied'))).toMatchObject({ state: 'ready', streaming: true })
  expect(callIn(until('call.started'))).toMatchObject({ state: 'running', streaming: true })
  expect(callIn(viewOf(events))).toMatchObject({ state: 'settled', streaming: true })
  expect(messagesOf(viewOf(events)).at(-1)).toMatchObject({ parts: [{ call: { streaming: true } }, { type: 'text' }] })
})

test('a call of any other tool is not shown as one', async () => {
  const { agent } = desk([{ calls: [call('build')] }, 'Built.'], { tools: [tool({ ...common, run: () => 'built' })] })
  const { session } = await chat(agent, 'Build')
  expect(callIn(viewOf(session.events))).not.toHaveProperty('streaming')
  expect(JSON.stringify(session.events)).not.toContain('display')
})
