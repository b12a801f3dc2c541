/** An autonomous agent for a space: it shows a chart, asks for a confirmation without waiting for it, and then books. */
import { readFileSync } from 'node:fs'
import { agent, tool, toolFromConfig } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const fromJson = (file: string) =>
  toolFromConfig(JSON.parse(readFileSync(new URL(`../seed-002/${file}.json`, import.meta.url), 'utf8')))
const book = tool({ name: 'book', description: 'Book a room', input: z.object({}), run: () => 'a room' })

const asked = { calls: [{ name: 'showChart', input: { prices: [90, 120] } }, { name: 'confirmBooking' }] }
const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  if (last?.role !== 'user') return 'Done.'
  return JSON.stringify(last).includes('confirmed') ? { calls: [{ name: 'book' }] } : asked
})

export const concierge = agent({
  name: 'concierge',
  model,
  tools: [fromJson('internal'), fromJson('async'), book],
})
