/** Real NATS servers on loopback, in one cluster. They end with this process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect as connectTo } from 'node:net'
import { delimiter, join } from 'node:path'
import { freePort } from '../../../test/postgres-server.ts'

const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']
/** Undefined when there is no NATS server on this machine. */
export const natsServer: string | undefined = places
  .map((place) => join(place, 'nats-server'))
  .find((file) => existsSync(file))

export interface NatsCluster {
  readonly servers: readonly string[]
  readonly pids: readonly (number | undefined)[]
  /** Kills the server at this place of `servers`. */
  kill(nth: number): Promise<void>
  start(nth: number): Promise<void>
  stop(): Promise<void>
}

export async function startNats(size: number): Promise<NatsCluster> {
  const ports = await Promise.all(Array.from({ length: size * 2 }, () => freePort()))
  const clients = ports.slice(0, size)
  const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`)
  const running: (ChildProcess | undefined)[] = []
  const start = async (nth: number): Promise<void> => {
    const cluster = ['--cluster_name', 'test', '--cluster', routes[nth]!, '--routes', routes.join(',')]
    const listen = ['--addr', '127.0.0.1', '--port', `${clients[nth]}`]
    running[nth] = spawn(natsServer!, [...listen, ...(size > 1 ? cluster : [])], { stdio: 'ignore' })
    while (!(await answers(clients[nth]!))) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const kill = async (nth: number): Promise<void> => {
    const server = running[nth]
    running[nth] = undefined
    if (!server || server.exitCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await ended
  }
  for (let nth = 0; nth < size; nth++) await start(nth)
  process.once('exit', () => running.forEach((server) => server?.kill('SIGKILL')))
  return {
    servers: clients.map((port) => `nats://127.0.0.1:${port}`),
    get pids() {
      return running.map((server) => server?.pid)
    },
    kill,
    start,
    stop: async () => {
      for (let nth = 0; nth < size; nth++) await kill(nth)
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo(port, '127.0.0.1')
    socket.once('data', () => (socket.destroy(), resolve(true)))
    socket.on('error', () => {})
    // A server that is ending may close it without a word.
    socket.once('close', () => resolve(false))
  })
}
