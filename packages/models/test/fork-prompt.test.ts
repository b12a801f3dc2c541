/** What a fork sends to its model is accepted by the AI SDK's own conversion, and by vendors, at whatever event it was forked. */
import { agent, askUser, holdpoint, memoryStore, tool } from 'holdpoint'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { toPromptV4 } from '../src/to-prompt-v4.ts'
import { acceptedByServers, sentByAi } from './oracle.ts'

const euros = z.object({ euros: z.number() })
const pay = tool({ name: 'pay', description: 'Pay', input: euros, approval: 'required', run: () => 'Paid.' })
const name = tool({ name: 'name', description: 'Ask', input: z.object({}), run: () => askUser('Your name?') })
const look = tool({ name: 'look', description: 'Look', input: z.object({}), run: () => ({ found: [1, null] }) })
const fail = tool({
  name: 'fail',
  description: 'Fail',
  input: z.object({}),
  run: () => {
    throw new Error('No paper.')
  },
})

const SAYS: readonly Script[] = [
  { reasoning: 'First I look.', text: 'Looking.', calls: [{ name: 'look', input: {} }] },
  {
    calls: [
      { name: 'look', input: {} },
      { name: 'fail', input: {} },
      { name: 'pay', input: { euros: 5 } },
    ],
  },
  {
    calls: [
      { name: 'name', input: {} },
      { name: 'pay', input: { euros: 'five' } },
      { name: 'none', input: {} },
    ],
  },
]

test('the prompt of a fork, at any event and with held or settled calls, is what the AI SDK would send', async () => {
  const model = scriptedModel(
    Array.from({ length: 1000 }, () => ({ prompt }: { readonly prompt: readonly { readonly role: string }[] }) => {
      const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
      return SAYS[since.filter(({ role }) => role === 'assistant').length] ?? 'Done.'
    }),
  )
  const desk = agent({ name: 'desk', model, tools: [pay, name, look, fail], instructions: 'Be kind.' })
  const runtime = await holdpoint({ store: memoryStore({ now: Date.now }), agents: [desk] })
  onTestFinished(() => runtime.close())
  for (const text of ['Go', 'Again']) {
    let { holds, status } = await runtime.send('c', text, { by: 'ada' })
    while (status === 'held') {
      for (const { callId, kind } of holds)
        await runtime.resolve('c', callId, kind === 'approval' ? { kind: 'approve' } : { kind: 'answer', value: 'Ada' })
      ;({ holds, status } = await runtime.continue('c'))
    }
  }
  const events = await runtime.events('c')
  let [prompts, withCalls] = [0, 0]
  for (const { seq } of events)
    for (const held of ['held', 'settled'] as const) {
      const fork = await runtime.fork('c', { at: seq, held })
      if (!fork.ok) throw new Error(fork.message)
      const before = model.requests.length
      // Nothing of a settled fork is open. A call that is held in the fork is superseded, so the model is asked at each event.
      await runtime.send(fork.id, 'What now?', { whileBusy: held === 'held' ? 'supersede' : 'refuse', by: 'ada' })
      const sent = model.requests[before]
      expect(sent, `event ${seq}, ${held}`).toBeDefined()
      acceptedByServers(sent!.prompt)
      expect(toPromptV4(sent!.prompt)).toEqual(await sentByAi(sent!.prompt))
      prompts++
      if (sent!.prompt.some(({ role }) => role === 'tool')) withCalls++
    }
  expect(prompts).toBe(events.length * 2)
  expect(withCalls).toBeGreaterThan(prompts / 2)
})
