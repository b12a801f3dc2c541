/** A gateway in its own process, which can be killed and restarted on the same port. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { root } from '../../scripts/lib/workspace.ts'

export const KEY = 'hp_test_key_that_is_long_enough_for_a_test'

export class GatewayProcess {
  readonly url: string
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  private constructor(port: number, env: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HOLDPOINT_'))
    this.#env = { ...Object.fromEntries(inherited), ...env, PORT: `${port}`, HOLDPOINT_KEY: KEY }
  }

  static async start(store: string, effects: string): Promise<GatewayProcess> {
    const env = { HOLDPOINT_STORE: store, HOLDPOINT_APP: join(import.meta.dirname, 'app.ts'), EFFECTS: effects }
    const gateway = new GatewayProcess(await freePort(), env)
    await gateway.start()
    return gateway
  }

  async start(): Promise<void> {
    const main = join(root, 'packages/gateway/src/main.ts')
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const child = spawn(process.execPath, ['--conditions=@holdpoint/source', main], {
      env: this.#env,
      stdio: [...stdio],
    })
    this.#child = child
    for await (const text of child.stdout as AsyncIterable<Buffer>) if (text.toString().includes('listens on')) break
    child.stdout?.resume()
  }

  /** SIGKILL: no graceful shutdown. */
  kill(): void {
    this.#child?.kill('SIGKILL')
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { readonly port: number }
  await new Promise((closed) => server.close(closed))
  return port
}
