/** A server that answers as Telegram does, and that can kill a process in the middle of a request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Child } from '../../crash/child.ts'

export interface Shown {
  readonly chat: { readonly id: number }
  readonly message_id: number
  readonly text: string
}

type Method = 'sendMessage' | 'editMessageText' | 'answerCallbackQuery'

/**
 * Where in a request the process dies: before the service does what was asked, after that and before it answers, or after its
 * whole answer was sent and before the process reads it.
 */
export type Moment = 'asked' | 'done' | 'answered'

export class TelegramStandIn {
  readonly messages: Shown[] = []
  /** What a presser was told. */
  readonly told: string[] = []
  readonly apiRoot: string
  #kill: { readonly method: Method; readonly moment: Moment; readonly child: () => Child } | undefined

  static async open(): Promise<TelegramStandIn> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    })
    const standIn = new TelegramStandIn(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.on('request', (request, response) => void standIn.#serve(request, response))
    return standIn
  }

  private constructor(apiRoot: string) {
    this.apiRoot = apiRoot
  }

  /** The next request for this method kills the process. */
  killAt(method: Method, moment: Moment, child: () => Child): void {
    this.#kill = { child, method, moment }
  }

  /** The messages that a person has, oldest first. */
  of(user: number): readonly Shown[] {
    return this.messages.filter(({ chat }) => chat.id === user)
  }

  /** A person presses a button of a message. Returns the status; rejects when the process dies before it answers. */
  async press(
    port: unknown,
    user: number,
    data: 'approve' | 'reject',
    message = this.of(user).at(-1),
  ): Promise<number> {
    const query = { id: 'q1', from: { id: user }, data, message }
    const answer = await fetch(`http://127.0.0.1:${String(port)}/channels/telegram`, {
      method: 'POST',
      headers: { 'x-telegram-bot-api-secret-token': 'the secret of the webhook' },
      body: JSON.stringify({ update_id: 1, callback_query: query }),
    })
    return answer.status
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>
    const method = request.url?.split('/').at(-1) ?? ''
    const kill = this.#kill?.method === method ? this.#kill : undefined
    if (kill) this.#kill = undefined
    if (kill?.moment === 'asked') return kill.child().kill()
    const [status, said] = this.#do(method, body)
    if (kill?.moment === 'done') return kill.child().kill()
    // Paused, it does not read the answer.
    kill?.child().signal('SIGSTOP')
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(said), () => void kill?.child().kill())
  }

  #do(method: string, body: Record<string, unknown>): readonly [number, object] {
    const { chat_id: chat, message_id: id, ...rest } = body
    switch (method) {
      case 'sendMessage': {
        const message = {
          ...rest,
          chat: { id: Number(chat) },
          message_id: this.messages.length + 1,
        } as unknown as Shown
        this.messages.push(message)
        return [200, { ok: true, result: message }]
      }
      case 'editMessageText': {
        const before = this.messages[Number(id) - 1]
        if (!before) return refusal('message to edit not found')
        const after = { ...before, ...rest }
        if (isDeepStrictEqual(before, after)) return refusal('message is not modified')
        this.messages[Number(id) - 1] = after
        return [200, { ok: true, result: after }]
      }
      case 'answerCallbackQuery':
        this.told.push(String(body['text']))
        return [200, { ok: true, result: true }]
    }
    return [404, { ok: false, error_code: 404, description: 'Not Found' }]
  }
}

function refusal(why: string): readonly [number, object] {
  return [400, { ok: false, error_code: 400, description: `Bad Request: ${why}` }]
}
