/**
 * A TCP proxy with a fixed port and a target that changes. It stands in for HAProxy or for a virtual IP address. It does
 * not close a connection whose server is silent, like a network that loses packets.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SwitchingProxy {
  readonly port: number
  /** New connections go to this port of the loopback address. Existing ones stay. */
  to(port: number): void
  /** Refuses new connections and closes existing ones, until `to` is called. */
  cut(): void
  close(): Promise<void>
}

export async function openSwitchingProxy(): Promise<SwitchingProxy> {
  const sockets = new Set<Socket>()
  let target: number | undefined
  const server = createServer((client) => {
    if (target === undefined) return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    const ends = [client, upstream]
    for (const end of ends) {
      sockets.add(end)
      end.setNoDelay(true)
      end.on('error', () => {})
      end.on('close', () => {
        sockets.delete(end)
        for (const other of ends) other.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    target = undefined
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    to: (port) => {
      target = port
    },
    cut,
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
