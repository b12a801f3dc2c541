/** The protocol's reference server, in its own process that can be killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

export const EVERYTHING: string = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
)

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

export interface Peer {
  readonly url: string
  kill(): Promise<void>
}

export async function everythingOverHttp(port?: number): Promise<Peer> {
  const at = port ?? (await freePort())
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(at) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await says(child, /listening|running|port/i)
  return {
    url: `http://127.0.0.1:${at}/mcp`,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function says(child: ChildProcess, what: RegExp): Promise<void> {
  let said = ''
  for await (const text of child.stderr ?? []) {
    said += String(text)
    if (what.test(said)) break
  }
  if (!what.test(said)) throw new Error(`The server did not start: ${said}`)
}
