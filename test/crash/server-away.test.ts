/** PostgreSQL becomes unavailable under two working processes. They lose nothing and continue when it is back. */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { disturb } from '../../crash/campaign.ts'
import { nap } from '../../crash/desk.ts'
import { postgresPlace } from './places.ts'
import { ownServer, restartable, terminateBackends } from './postgres-server.ts'

const server = ownServer()

test(
  proves(
    'hold.never-accepted-and-dropped',
    'log.no-gaps',
    'when all connections are ended repeatedly, nothing is lost and the same processes continue',
  ),
  async () => {
    const { url } = server()
    const ended: number[] = []
    const end = async (): Promise<void> => {
      for (let nth = 0; nth < 3; nth++) {
        ended.push(await terminateBackends(url))
        await nap(Math.random() * 100)
      }
    }
    const { problems } = await disturb(postgresPlace(url), [end, end])
    expect(problems).toEqual([])
    expect(Math.max(...ended)).toBeGreaterThan(3)
  },
  360_000,
)

test.runIf(restartable)(
  proves(
    'hold.never-accepted-and-dropped',
    'log.no-gaps',
    'when the server is restarted without a clean shutdown or by SIGKILL, nothing is lost and the same processes continue',
  ),
  async () => {
    const restarts = [() => server().restart('immediate'), () => server().restart('kill')]
    const { problems } = await disturb(postgresPlace(server().url), restarts)
    expect(problems).toEqual([])
  },
  360_000,
)
