/**
 * `npm run failover -- --rounds 100 --kind kill`: a PostgreSQL primary and standby, two working processes, and the fault in each
 * round. `--kind all` takes every kind; those with Patroni only where it is installed. Progress is on stderr. The last lines are
 * JSON, one for each kind. Exits with 1 when a guarantee failed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../scripts/lib/whole-number.ts'
import { runCampaign, type Result } from './campaign.ts'
import { PAIR_KINDS, PATRONI_KINDS, type Kind } from './faults.ts'
import { missingPrograms } from './patroni-cluster.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, kind: { type: 'string', default: 'all' } },
})
const rounds = wholeNumber('rounds', values.rounds)
const known: readonly Kind[] = [...PAIR_KINDS, ...PATRONI_KINDS]
const missing = missingPrograms()
const possible = missing.length === 0 ? known : PAIR_KINDS
const kinds = values.kind === 'all' ? possible : known.filter((kind) => kind === values.kind)
if (kinds.length === 0) throw new Error(`--kind is ${known.join(', ')} or all, not ${values.kind}.`)

const tell = (line: string): void => void process.stderr.write(`${line}\n`)
if (missing.length > 0) tell(`Not tested with Patroni, etcd and HAProxy: ${missing.join(', ')} not found here.`)
const results: Result[] = []
for (const kind of kinds) results.push(await run(kind))
for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`)
// A run without an acknowledged request tested nothing, so it fails.
process.exitCode = results.every(
  ({ acked, lost, doubled, stuck, errors }) => acked > 0 && lost + doubled + stuck + errors === 0,
)
  ? 0
  : 1

async function run(kind: Kind): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-failover-'))
  try {
    const { problems: _problems, ...result } = await runCampaign({
      kind,
      rounds,
      effects: join(folder, 'effects'),
      progress: tell,
    })
    return result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
