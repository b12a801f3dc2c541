/** An app file whose rules are judged with Cedar: what `holdpoint start app.ts` serves. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { connect } from '@holdpoint/client'
import { startGateway } from '@holdpoint/gateway'
import type { RuleText } from 'holdpoint'
import { expect, onTestFinished, test, vi } from 'vitest'

const APP = fileURLToPath(new URL('../../../examples/rules-cedar/app.ts', import.meta.url))
const KEY = 'k'.repeat(40)

test('the gateway of an app file that exports an evaluator judges, tries and refuses rules with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-cedar-'))
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const { served, stop } = await startGateway({
    HOLDPOINT_APP: APP,
    HOLDPOINT_STORE: join(folder, 'desk.db'),
    HOLDPOINT_KEY: KEY,
    PORT: '0',
  })
  onTestFinished(async () => {
    await stop()
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })
  const { rules, conversations, holds } = connect({ url: served.url, key: KEY })
  // The hold names the definition of the tool that a rule is for.
  expect(await conversations.send('c0', 'Pay', { wait: 10 })).toMatchObject({ result: { status: 'held' } })
  const [hold] = (await holds.list()).items
  const upTo = (max: number): RuleText => ({
    effect: 'allow',
    tool: 'invoice.pay',
    fingerprint: hold?.fingerprint ?? '',
    when: [{ at: '/euros', range: { max } }],
  })
  await expect(rules.save({ ...upTo(0.5), by: 'grace' })).rejects.toThrow('Cedar has no fractions')
  await rules.save({ ...upTo(200), by: 'grace' })
  expect(await rules.backtest({ rules: [upTo(200)] })).toMatchObject({ calls: 1, would: { allow: 1 } })
  await holds.approve('c0', hold?.callId ?? '', { by: 'grace' })
  await conversations.continue('c0', { wait: 10 })
  expect(await conversations.send('c1', 'Pay', { wait: 10 })).toMatchObject({ result: { status: 'done' } })
})
