/** A proxy between a store and its server that can cut connections at a chosen moment. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Proxy {
  readonly url: string
  /** The next statement with this text is executed by the server, and its answer is lost. */
  loseAnswerTo(text: string): void
  /** Whether a statement with this text was sent to the server. */
  sent(text: string): boolean
  /** The number of lost answers. */
  readonly lost: number
  /** Existing connections stay open, and nothing goes through them any more. */
  forget(): void
  /** Refuses new connections and cuts existing ones. */
  cut(): void
  restore(): void
}

export async function proxyTo(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const wires = new Set<Socket>()
  let doomed: string | undefined
  let away = false
  let lost = 0
  let everything = ''

  let forgotten = 0
  let made = 0
  const server = createServer((client) => {
    const nth = ++made
    if (away) return void client.destroy()
    const upstream = connect(Number(port), hostname)
    const ends = [client, upstream]
    let losing = false
    client.on('data', (data) => {
      if (nth <= forgotten) return
      everything += data.toString('latin1')
      if (doomed !== undefined && data.includes(doomed)) {
        losing = true
        doomed = undefined
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (nth <= forgotten) return
      if (!losing) return void client.write(data)
      // The server answers only after the commit.
      lost++
      for (const end of ends) end.destroy()
    })
    for (const end of ends) {
      wires.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        wires.delete(end)
        for (const other of ends) other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutOff = (): void => wires.forEach((wire) => wire.destroy())
  onTestFinished(() => {
    cutOff()
    server.close()
  })
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    get lost() {
      return lost
    },
    sent: (text) => everything.includes(text),
    loseAnswerTo: (text) => {
      doomed = text
    },
    forget: () => {
      forgotten = made
    },
    cut: () => {
      away = true
      cutOff()
    },
    restore: () => {
      away = false
    },
  }
}
