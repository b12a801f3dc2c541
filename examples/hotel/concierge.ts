/** The agent in its own process: a gateway on a SQLite file. main.ts kills it and starts it again. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '@holdpoint/gateway'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, holdpoint, openStore, tool, type Model, type ModelRequest } from 'holdpoint'
import { z } from 'zod'

const [, , folder = '.', port = '0', key = ''] = process.argv

// #region tools
const confirmAction = tool({
  name: 'confirmAction',
  description: 'Ask the people in the space to confirm something',
  executor: 'client', // a person in the space answers it
  async: true, // the agent reads `pending` and continues; the answer wakes it
  timeout: '7 days',
  input: z.object({ question: z.string() }),
  output: z.object({ confirmed: z.boolean() }),
})
const bookHotel = tool({
  name: 'bookHotel',
  description: 'Book a hotel',
  input: z.object({ city: z.string() }),
  run: ({ input, call }) => {
    appendFileSync(join(folder, 'bookings.txt'), `${input.city} under ${call.id}\n`)
    return `a room in ${input.city}`
  },
})
// #endregion

// #region model
const enter = { name: 'enter_space', input: { space: 'tokyo' } }
const say = (text: string) => ({ name: 'send_message', input: { text } })

/** A scripted model: the calls of each step of a cycle, by the inbox item that woke the agent. */
const scripts: Readonly<Record<string, readonly Script[]>> = {
  'book a hotel': [
    { calls: [{ name: 'confirmAction', input: { question: 'A room in Tokyo for 90 euros?' } }] },
    { calls: [say('I asked you to confirm it. Meanwhile I go on with other things.')] },
  ],
  'flight.delayed': [{ calls: [enter, say('By the way: your flight is an hour late.')] }],
  '"confirmed":true': [
    { calls: [{ name: 'bookHotel', input: { city: 'Tokyo' } }] },
    { calls: [say('Your hotel in Tokyo is booked.')] },
  ],
}
// #endregion

const model: Model = {
  id: 'concierge',
  stream: (request) => scriptedModel([next]).stream(request),
}

function next({ prompt }: ModelRequest): Script {
  const woken = prompt.findLastIndex(({ role }) => role === 'user')
  const step = prompt.slice(woken + 1).filter(({ role }) => role === 'assistant').length
  const what = Object.keys(scripts).find((each) => JSON.stringify(prompt[woken]).includes(each.replaceAll('"', '\\"')))
  return scripts[what ?? '']?.[step] ?? 'Done.'
}

// #region serve
const concierge = agent({ name: 'concierge', model, tools: [confirmAction, bookHotel] })
const store = await openStore(join(folder, 'hotel.db'))
const runtime = await holdpoint({ store, agents: [concierge], leaseMs: 2000 }) // another process takes over after this time
const auth = { keys: [{ key, scopes: ['admin'] as const, mayActFor: true as const }] }
const { url } = await serve({ runtime, store, agents: [concierge], auth, port: Number(port) })
// #endregion
console.log(url)
