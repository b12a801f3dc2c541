/** The clients of the gateway's benchmark, in their own process, so that they do not slow down the gateway. */
import { Agent, get, request } from 'node:http'

export type Order =
  /** Opens `count` streams on a conversation. Sends `heard` each time all of them have received one more reply. */
  | { readonly order: 'follow'; readonly id: string; readonly count: number }
  | { readonly order: 'resolve'; readonly holds: readonly (readonly [id: string, callId: string])[] }

export type Said =
  | { readonly said: 'ready' | 'heard' }
  | { readonly said: 'resolved'; readonly ms: number; readonly each: readonly number[] }

const [url = '', key = ''] = process.argv.slice(2)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const AT_ONCE = 64
const keepAlive = new Agent({ keepAlive: true, maxSockets: AT_ONCE })

process.on('message', (order: Order) => {
  if (order.order === 'follow') void follow(order)
  else void resolve(order)
})

function say(said: Said): void {
  process.send?.(said)
}

async function follow({ id, count }: Extract<Order, { order: 'follow' }>): Promise<void> {
  let heard = 0
  const path = `${url}/api/conversations/${id}/events`
  const open = (): Promise<void> =>
    new Promise((ready) => {
      const own = { ...headers, accept: 'text/event-stream' }
      get(path, { agent: false, headers: own }, (response) => {
        response.once('data', () => ready())
        response.on('data', (data: Buffer) => {
          if (!data.includes('"model.replied"') || ++heard < count) return
          heard = 0
          say({ said: 'heard' })
        })
      })
    })
  for (let opened = 0; opened < count; opened += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - opened) }, open))
  // The streams have received the earlier events of the log by now. These do not count.
  setTimeout(() => {
    heard = 0
    say({ said: 'ready' })
  }, 1000)
}

async function resolve({ holds }: Extract<Order, { order: 'resolve' }>): Promise<void> {
  const each: number[] = []
  let next = 0
  const start = performance.now()
  const worker = async (): Promise<void> => {
    for (let hold = holds[next++]; hold; hold = holds[next++]) {
      const began = performance.now()
      await post(`/api/holds/${hold[0]}/${hold[1]}/resolve`, '{"kind":"answer","value":1}')
      each.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  say({ said: 'resolved', ms: performance.now() - start, each })
}

function post(path: string, body: string): Promise<void> {
  return new Promise((done, failed) => {
    const own = { ...headers, 'content-length': body.length }
    const sending = request(url + path, { method: 'POST', agent: keepAlive, headers: own }, (response) => {
      response.resume()
      response.on('end', () => (response.statusCode === 200 ? done() : failed(new Error(`${response.statusCode}`))))
    })
    sending.on('error', failed)
    sending.end(body)
  })
}
