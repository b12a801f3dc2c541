/**
 * The program of the gateways under test: payments that need approval, each logged to a file by call id; photos that a
 * browser page takes; and agents that answer every message in their spaces once.
 */
import { appendFileSync } from 'node:fs'
import { agent, tool, type Agent, type Model, type PromptMessage } from 'holdpoint'
import { z } from 'zod'
import { AGENTS } from './agents.ts'

const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({}),
  approval: 'required',
  run: ({ call }) => {
    appendFileSync(process.env['EFFECTS'] ?? '', `${call.id}\n`)
    return 'paid'
  },
})

const photo = tool({
  name: 'photo',
  description: 'Take a photo',
  input: z.object({}),
  executor: 'client',
  timeout: '1 h',
  grace: '2 s',
})

/** Depends only on the prompt, so any process can continue any conversation. */
const clerk: Model = {
  id: 'clerk',
  async *stream({ prompt }) {
    const last = JSON.stringify(prompt.at(-1))
    if (prompt.at(-1)?.role === 'tool') yield { type: 'text', id: 't', delta: 'It is paid.' }
    else if (last.includes('hello')) yield { type: 'text', id: 't', delta: 'Hello.' }
    else {
      const name = last.includes('photo') ? 'photo' : 'pay'
      yield { type: 'call', id: `c${prompt.length}`, name, input: '{}' }
    }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

/** Answers every message that woke it, in one reply. */
const echo: Model = {
  id: 'echo',
  async *stream({ prompt }) {
    const woken = prompt.findLastIndex((each) => each.role === 'user' && heardIn(each).length > 0)
    const answered = prompt.slice(woken + 1).some(({ role }) => role === 'assistant')
    const heard = answered ? [] : heardIn(prompt[woken])
    for (const [nth, { space, text }] of heard.entries()) {
      yield { type: 'call', id: `e${nth}`, name: 'enter_space', input: JSON.stringify({ space }) }
      yield { type: 'call', id: `s${nth}`, name: 'send_message', input: JSON.stringify({ text: `re ${text}` }) }
    }
    yield { type: 'finish', reason: heard.length > 0 ? 'calls' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

interface Heard {
  readonly space: string
  readonly text: string
}

/** The messages in an inbox event. Previews have another form: they are answered when they wake the agent. */
function heardIn(message: PromptMessage | undefined): readonly Heard[] {
  if (message?.role !== 'user') return []
  return message.parts.flatMap((part) =>
    part.type === 'text' && part.text.startsWith('{"inbox":"space.message"') ? [JSON.parse(part.text) as Heard] : [],
  )
}

export const agents: readonly Agent[] = [
  agent({ name: 'desk', model: clerk, tools: [pay, photo] }),
  ...Array.from({ length: AGENTS }, (_, nth) =>
    agent({ name: `agent-${nth}`, model: echo, context: { window: { turns: 1 } } }),
  ),
]
