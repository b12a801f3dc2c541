/** `npm run soak -- --hours 8 --store sqlite` (or `postgres`). Fractions of an hour are accepted. Fails when anything is wrong. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from 'holdpoint'
import { postgresForTests } from '../test/postgres-server.ts'
import { soak } from './soak.ts'

const { values } = parseArgs({
  options: { hours: { type: 'string', default: '1' }, store: { type: 'string', default: 'sqlite' } },
})
const ms = Number(values.hours) * 3_600_000
if (!(ms > 0) || !['sqlite', 'postgres'].includes(values.store)) {
  process.stderr.write('Use: npm run soak -- --hours 0.5 --store sqlite|postgres\n')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-soak-'))
const server = values.store === 'postgres' ? await postgresForTests() : undefined
const place = server?.url ?? join(folder, 'desk.db')
const result = await soak({
  ms,
  open: () => openStore(place),
  // At least a dozen samples in a short run, and one every half minute in a long one.
  checkMs: Math.min(30_000, ms / 12),
  report: (line) => void process.stdout.write(`${new Date().toISOString()} ${line}\n`),
})
await server?.stop()
rmSync(folder, { recursive: true, force: true })
for (const each of result.violations) process.stdout.write(`violation: ${each}\n`)
const { turns, restarts, checks, violations } = result
process.stdout.write(`${turns} turns, ${restarts} restarts, ${checks} checks, ${violations.length} violations\n`)
process.exit(violations.length > 0 ? 1 : 0)
