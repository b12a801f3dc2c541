/** What the gateways under test serve: payments that somebody must approve, each noted in a file under its call's id; and photos that a page takes. */
import { appendFileSync } from 'node:fs'
import { agent, tool, type Agent, type Model } from 'holdpoint'
import { z } from 'zod'

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

/** Knows nothing but the prompt, so any process goes on with any conversation. */
const clerk: Model = {
  id: 'clerk',
  async *stream({ prompt }) {
    if (prompt.at(-1)?.role === 'tool') yield { type: 'text', id: 't', delta: 'It is paid.' }
    else {
      const name = JSON.stringify(prompt.at(-1)).includes('photo') ? 'photo' : 'pay'
      yield { type: 'call', id: `c${prompt.length}`, name, input: '{}' }
    }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

export const agents: readonly Agent[] = [agent({ name: 'desk', model: clerk, tools: [pay, photo] })]
