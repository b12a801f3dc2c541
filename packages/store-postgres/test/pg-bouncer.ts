/** A PgBouncer in front of the test's server, if the machine has one (`apt-get install pgbouncer`). */
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort, unprivileged } from '../../../test/postgres-server.ts'
import { until } from './kit.ts'

const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** Undefined where it is not installed. */
export const PGBOUNCER: string | undefined = places
  .map((place) => join(place, 'pgbouncer'))
  .find((file) => existsSync(file))

/** Starts it. Its clients share `sessions` sessions of the server. */
export async function pgBouncer(url: string, mode: 'transaction' | 'session', sessions: number): Promise<string> {
  if (PGBOUNCER === undefined) throw new Error('PgBouncer is not installed.')
  const { hostname, port } = new URL(url)
  const listen = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hp-pgb-'))
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    [
      '[databases]',
      `postgres = host=${hostname} port=${port} user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listen}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      `default_pool_size = ${sessions}`,
      'max_client_conn = 200',
      'server_reset_query =',
      '',
    ].join('\n'),
  )
  // Like the server, it refuses to run as root.
  const user = unprivileged()
  if (user) {
    chownSync(folder, user.uid, user.gid)
    chmodSync(file, 0o644)
  }
  const server = spawn(PGBOUNCER, ['-q', file], { ...user, stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  onTestFinished(async () => {
    server.kill('SIGQUIT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await until(() => listens(listen))
  return `postgres://postgres@127.0.0.1:${listen}/postgres`
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
