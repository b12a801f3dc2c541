/** A process of `npm run bench -- cells`: it serves the tenant of one cell, and counts the turns of a while. It ends with its parent. */
import { createInterface } from 'node:readline'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, openCells, tool, type CellsConfig } from 'holdpoint'
import { z } from 'zod'

const [config = '', tenant = '', conversations = ''] = process.argv.slice(2)
const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), run: () => ({ found: 3 }) })
const model = scriptedModel(({ prompt }) =>
  prompt.at(-1)?.role === 'user' ? { calls: [{ name: 'look', input: {} }] } : { text: 'Three.' },
)
const cells = await openCells(JSON.parse(config) as CellsConfig)
const hp = await holdpoint({ store: cells.store, agents: [agent({ name: 'desk', model, tools: [look] })] })
let turns = 0
const talk = async (nth: number): Promise<void> => {
  for (;;) {
    const { status } = await hp.tenant(tenant).send(`c${process.pid}-${nth}`, 'How many?')
    if (status !== 'done') throw new Error(`A turn ended with ${status}.`)
    turns++
  }
}
const lines = createInterface({ input: process.stdin })
lines.on('close', () => process.exit(0))
lines.on('line', () => {
  process.stdout.write(`${JSON.stringify({ turns })}\n`)
})
process.stdout.write(`${JSON.stringify({ ready: tenant })}\n`)
await Promise.all(Array.from({ length: Number(conversations) }, (_, nth) => talk(nth)))
