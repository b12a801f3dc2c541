/** Sends requests to the gateway, and compares each answer with the rules. */
import type { Gateway } from '@holdpoint/gateway'

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** How often each kind of request was allowed and refused, in all walks. */
export const counted: Record<string, { allowed: number; refused: number }> = {}

export class Asking {
  readonly #api: Gateway
  readonly #trace: string[] = []

  constructor(api: Gateway) {
    this.#api = api
  }

  note(line: string): void {
    this.#trace.push(line)
  }

  judge(what: string, expected: boolean, actual: boolean): void {
    counted[what] ??= { allowed: 0, refused: 0 }
    counted[what][expected ? 'allowed' : 'refused']++
    this.require(expected === actual, `${what} was ${actual ? 'allowed' : 'refused'}`)
  }

  require(holds: boolean, what: string): void {
    if (!holds) throw new Error(`${what}, after:\n${this.#trace.slice(-12).join('\n')}`)
  }

  async ask(token: string, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    const response = await this.#api.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const type = response.headers.get('content-type') ?? ''
    if (type.includes('event-stream') && method === 'GET') {
      await response.body?.cancel()
      return { status: response.status, body: undefined }
    }
    const text = await response.text()
    return {
      status: response.status,
      body: type.includes('json') && !type.includes('ndjson') ? JSON.parse(text) : text,
    }
  }

  /** The id of the file. */
  async upload(token: string, text: string): Promise<string> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' }
    const request = new Request('http://localhost/api/files', { method: 'POST', headers, body: text })
    const response = await this.#api.fetch(request)
    this.require(response.status === 201, `an upload got ${response.status}`)
    return ((await response.json()) as { readonly id: string }).id
  }

  /** A stream has each event of its log, and no word of another. `program` reads the log to compare. */
  async follow(token: string, program: string, path: string, own: string): Promise<boolean> {
    const { body } = await this.ask(program, 'GET', `${path}?limit=1000`)
    const seqs: number[] = body.items.map(({ seq }: { seq: number }) => seq)
    const text = await this.#streamed(token, path, seqs.at(-1) ?? 0)
    if (text === undefined) return false
    const shown = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
    this.require(
      seqs.every((seq) => shown.includes(seq)),
      'a stream left an event out',
    )
    const others = text.match(/says \w+ in [\w.]+!/g)?.find((mark) => mark !== own)
    this.require(others === undefined, `a stream of ${path} has "${others}"`)
    return true
  }

  /** The text of a stream up to this event; undefined when it is refused. */
  async #streamed(token: string, path: string, upTo: number): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const response = await this.#api.fetch(new Request(`http://localhost${path}`, { headers }))
    if (response.status !== 200 || !response.body) return undefined
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body) {
      text += decoder.decode(bytes, { stream: true })
      if (new RegExp(`^id: ${upTo}$[^]*\\n\\n`, 'm').test(text)) break
    }
    return text
  }
}
