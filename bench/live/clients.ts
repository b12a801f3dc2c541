/** The clients of the `live` benchmark: each starts turns of one conversation, one after the other, and follows them. */
import { Agent, request, type IncomingMessage } from 'node:http'
import type { Contestant, Ready } from './contestant.ts'

/** In milliseconds since the message was sent. */
export interface TurnTimes {
  readonly firstToken: number
  readonly total: number
}

export interface Client {
  turn(): Promise<TurnTimes>
  close(): void
}

/** A server closes a connection that was idle for 5 s. Between its rounds, a contestant is idle longer. */
const IDLE_MS = 2000
const keepAlive = new Agent({ keepAlive: true, maxSockets: 400, timeout: IDLE_MS })

export function clientOf(contestant: Contestant, ready: Ready, id: string): Promise<Client> {
  const isBaseline = contestant === 'bare' || contestant === 'aiSdk'
  return isBaseline ? Promise.resolve(posting(ready.url, id)) : following(ready, id)
}

/** The stream is the response to the message. */
function posting(url: string, id: string): Client {
  return {
    turn: async () => {
      const start = performance.now()
      let firstToken = 0
      const response = await post(`${url}/${id}`, {})
      for await (const chunk of response)
        if (firstToken === 0 && String(chunk).includes('text-delta')) firstToken = performance.now() - start
      return { firstToken, total: performance.now() - start }
    },
    close: () => {},
  }
}

/** Like our client: one event stream for the conversation, and one request per message. */
async function following({ url, credential }: Ready, id: string): Promise<Client> {
  const headers = { authorization: `Bearer ${credential}` }
  const path = `${url}/api/conversations/${id}`
  await drained(await post(`${url}/api/conversations`, headers, { id }))
  let heard: (text: string) => void = () => {}
  const stream = await open(`${path}/events`, { ...headers, accept: 'text/event-stream' })
  stream.on('data', (chunk: Buffer) => heard(chunk.toString()))
  return {
    turn: () =>
      new Promise((resolve, reject) => {
        const start = performance.now()
        let firstToken = 0
        let replies = 0
        heard = (text) => {
          if (firstToken === 0 && text.includes('"reply-text"')) firstToken = performance.now() - start
          replies += text.split('"type":"model.replied"').length - 1
          if (replies >= 2) resolve({ firstToken, total: performance.now() - start })
        }
        post(`${path}/messages`, headers).then(drained).catch(reject)
      }),
    close: () => void stream.destroy(),
  }
}

async function drained(response: IncomingMessage): Promise<void> {
  let body = ''
  for await (const chunk of response) body += String(chunk)
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${response.statusCode}: ${body}`)
}

function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown = { content: 'Where is order 7?' },
): Promise<IncomingMessage> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const own = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const sending = request(url, { method: 'POST', agent: keepAlive, headers: own }, resolve)
    sending.on('error', reject)
    sending.end(text)
  })
}

function open(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { agent: false, headers }, resolve)
    sending.on('error', reject)
    sending.end()
  })
}
