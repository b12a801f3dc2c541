/** Rounds of the fail-over campaign (`npm run failover`) with the faults that a synchronous standby has to survive. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '@holdpoint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { runCampaign } from '../../failover/campaign.ts'
import { RECOVER_WITHIN_MS } from '../../failover/limits.ts'

test.each(['kill', 'stop', 'readonly'] as const)(
  proves(
    'hold.never-accepted-and-dropped',
    'nothing acknowledged is lost or done twice, and both processes go on, with a synchronous standby and the fault: %s',
  ),
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const result = await runCampaign({ kind, rounds: 1, effects: join(folder, 'effects') })
    expect(result).toMatchObject({ problems: [], lost: 0, doubled: 0, stuck: 0, errors: 0 })
    expect(result.acked).toBeGreaterThan(60)
    // About 1 s and 3 s on a machine that has nothing else to do.
    expect(result.recoveryMsMax).toBeLessThan(RECOVER_WITHIN_MS)
  },
  300_000,
)
