/**
 * `npm run crash -- --kills 200 --store sqlite|postgres`: kills the shipped build at every named write point and at random
 * moments. Counts acknowledged requests that are lost, and effects that happened twice. The last line is JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../scripts/lib/whole-number.ts'
import { postgresForTests } from '../test/postgres-server.ts'
import { killAtRandom, killAtWritePoints, WRITE_POINTS } from './campaign.ts'

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, store: { type: 'string', default: 'sqlite' } },
})
const kills = wholeNumber('kills', values.kills)
if (values.store !== 'sqlite' && values.store !== 'postgres')
  throw new Error(`--store is sqlite or postgres, not ${values.store}.`)

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-crash-'))
const server = values.store === 'postgres' ? await postgresForTests() : undefined
try {
  const tell = (what: string, of: number) => (done: number) => {
    if (done % 10 === 0 || done === of) process.stderr.write(`${what}: ${done} of ${of}\n`)
  }
  const campaign = { place: server?.url ?? join(folder, 'desk.db'), effects: join(folder, 'effects') }
  const points = await killAtWritePoints({ ...campaign, progress: tell('write points', WRITE_POINTS.length) })
  process.stderr.write(`write points: ${points.acked} acked, ${points.lost} lost, ${points.doubled} doubled\n`)
  const random = await killAtRandom({ ...campaign, progress: tell('kills', kills) }, kills)
  for (const problem of [...points.problems, ...random.problems]) process.stderr.write(`${problem}\n`)
  const acked = points.acked + random.acked
  const lost = points.lost + random.lost
  const doubled = points.doubled + random.doubled
  // A run without an acknowledged request tested nothing, so it fails.
  process.exitCode = lost + doubled > 0 || acked === 0 ? 1 : 0
  process.stdout.write(`${JSON.stringify({ kills, acked, lost, doubled })}\n`)
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
