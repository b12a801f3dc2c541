/**
 * What rules cost: the processor time of a turn with one call, without rules, with 10 and with 1,000 rules of the tool, on a SQLite file;
 * and that of judging alone. In each case the last rule allows the call. Each round does one turn of every case, so that a busy machine slows
 * all of them alike. Processor time of the whole process is counted, and the median of the rounds is printed.
 *
 *   node --conditions=@holdpoint/source bench/rules.ts [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeByRules, type Rule, type RuleEvaluator } from '@holdpoint/core'
import { cedarEvaluator } from '@holdpoint/rules-cedar'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, tool, type Runtime, type RuleText } from 'holdpoint'
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
const ADA = 'ada@acme.test'

interface Case {
  readonly name: string
  readonly times: number[]
  run(nth: number): Promise<void> | void
}

function texts(count: number): readonly RuleText[] {
  return Array.from({ length: count }, (_, n) => ({
    effect: 'allow',
    tool: 'mail.send',
    fingerprint: send.fingerprint,
    when: [{ at: '/to', equals: n === count - 1 ? ADA : `person${n}@acme.test` }],
  }))
}

const opened: Runtime[] = []

async function turns(
  name: string,
  rounds: number,
  rules: number | undefined,
  evaluator?: RuleEvaluator,
): Promise<Case> {
  const replies = Array.from({ length: rounds }, () => [
    { calls: [{ name: 'mail.send', input: { to: ADA } }] },
    'Done.',
  ])
  const desk = agent({ name: 'desk', model: scriptedModel(replies.flat()), tools: [rules === undefined ? free : send] })
  const store = join(folder, `${name}.db`)
  const hp = await holdpoint({ store, agents: [desk], rules: rules === undefined ? false : (evaluator ?? true) })
  opened.push(hp)
  for (const text of texts(rules ?? 0)) await hp.rules.save(text, { by: 'grace' })
  return {
    name,
    times: [],
    run: async (nth) => {
      const { status } = await hp.send(`c${nth}`, 'Mail Ada')
      if (status !== 'done') throw new Error(`The turn ended as ${status}.`)
    },
  }
}

function judging(name: string, count: number, { judge }: RuleEvaluator): Case {
  const author = { id: 'grace', kind: 'person' } as const
  const times = { createdAt: 0, savedAt: 0, used: 0, calls: [] }
  const rules: readonly Rule[] = texts(count).map((text, n) => ({ ...text, id: `r${n}`, version: 1, author, ...times }))
  const facts = { callId: '1', tool: 'mail.send', fingerprint: send.fingerprint, input: { to: ADA }, now: 1 }
  const place = { conversation: 'c', agent: 'desk', people: ['cleo'] }
  return {
    name,
    times: [],
    run: () => {
      if (judge(rules, { ...facts, ...place }).decision?.effect !== 'allow')
        throw new Error('No rule allowed the call.')
    },
  }
}

const rounds = Number(process.argv[2] ?? 200)
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-rules-'))
const WARM_UP = 20
const builtIn: RuleEvaluator = { judge: judgeByRules }
const cedar = cedarEvaluator()
try {
  const all = rounds + WARM_UP
  const cases = [
    await turns('a turn, without rules', all, undefined),
    await turns('a turn, 10 rules', all, 10),
    await turns('a turn, 1,000 rules', all, 1000),
    await turns('a turn, 10 rules in Cedar', all, 10, cedar),
    await turns('a turn, 1,000 rules in Cedar', all, 1000, cedar),
    judging('judging alone, 10 rules', 10, builtIn),
    judging('judging alone, 1,000 rules', 1000, builtIn),
    judging('judging alone, 10 rules in Cedar', 10, cedar),
    judging('judging alone, 1,000 rules in Cedar', 1000, cedar),
  ]
  for (let nth = 0; nth < all; nth++)
    for (const { run, times } of cases) {
      const before = process.cpuUsage()
      await run(nth)
      const { user, system } = process.cpuUsage(before)
      if (nth >= WARM_UP) times.push((user + system) / 1000)
    }
  for (const { name, times } of cases) {
    const sorted = times.toSorted((a, b) => a - b)
    const at = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2)
    console.log(`${name}: ${at(0.5)} ms of processor time (half of ${rounds} rounds: ${at(0.25)} to ${at(0.75)})`)
  }
} finally {
  for (const hp of opened) await hp.close()
  rmSync(folder, { recursive: true, force: true })
}
