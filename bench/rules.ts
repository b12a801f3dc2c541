/**
 * What rules cost: the time from a message to the end of its turn, which has one call, with no rules, with 10 and with 1,000 rules of the
 * tool, on a SQLite file. In each case the last rule allows the call.
 *
 *   node --conditions=@holdpoint/source bench/rules.ts [turns]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, tool } from 'holdpoint'
import { z } from 'zod'

const send = tool({
  name: 'mail.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.string() }),
  approval: { required: true, rules: 'may-relax' },
  run: () => 'sent',
})
const free = tool({
  name: 'mail.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.string() }),
  run: () => 'sent',
})

async function measure(rules: number | undefined, turns: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-rules-'))
  const replies = Array.from({ length: turns }, () => [
    { calls: [{ name: 'mail.send', input: { to: 'ada@acme.test' } }] },
    'Done.',
  ]).flat()
  const desk = agent({ name: 'desk', model: scriptedModel(replies), tools: [rules === undefined ? free : send] })
  const hp = await holdpoint({ store: join(folder, 'bench.db'), agents: [desk], rules: rules !== undefined })
  try {
    for (let n = 1; n <= (rules ?? 0); n++) {
      const to = n === rules ? 'ada@acme.test' : `person${n}@acme.test`
      const rule = {
        effect: 'allow',
        tool: 'mail.send',
        fingerprint: send.fingerprint,
        when: [{ at: '/to', equals: to }],
      } as const
      await hp.rules.save(rule, { by: 'grace' })
    }
    const times: number[] = []
    for (let n = 0; n < turns; n++) {
      const started = performance.now()
      const { status } = await hp.send(`c${n}`, 'Mail Ada')
      if (status !== 'done') throw new Error(`The turn ended as ${status}.`)
      times.push(performance.now() - started)
    }
    return times.toSorted((a, b) => a - b)[Math.floor(turns / 2)] ?? 0
  } finally {
    await hp.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const turns = Number(process.argv[2] ?? 200)
await measure(undefined, 30) // a process is slower at first
for (const rules of [undefined, 10, 1000]) {
  const ms = await measure(rules, turns)
  console.log(
    `${rules === undefined ? 'without rules' : `${rules} rules`}: ${ms.toFixed(2)} ms per turn (median of ${turns})`,
  )
}
