/** Somebody on this side of two gateways: asks whichever answers, and reads streams through every break. */
import { SseDecoder } from '@holdpoint/protocol'
import type { LogEvent } from 'holdpoint'
import { KEY } from './process.ts'

/** Asks whichever gateway answers, and asks again until one does. */
export class Asker {
  readonly #urls: readonly string[]
  #nth = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  async ask<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
    for (;;) {
      const url = this.#urls[this.#nth++ % this.#urls.length]
      const headers = {
        authorization: `Bearer ${KEY}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      }
      try {
        const request = {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(20_000),
        }
        const response = await fetch(`${url}${path}`, request)
        const answer: unknown = await response.json()
        if (response.status < 500 && response.status !== 429) {
          if (!response.ok) throw new Refused(`${method} ${path}: ${JSON.stringify(answer)}`)
          return answer as T
        }
      } catch (error) {
        if (error instanceof Refused) throw error
      }
      await pause(30)
    }
  }

  /** The whole log. */
  async events(path: string): Promise<readonly LogEvent[]> {
    const events: LogEvent[] = []
    for (;;) {
      const after = events.at(-1)?.seq ?? 0
      const { items } = await this.ask<{ items: readonly LogEvent[] }>('GET', `${path}?after=${after}&limit=1000`)
      if (items.length === 0) return events
      events.push(...items)
    }
  }
}

class Refused extends Error {}

/** Follows a log on one gateway, which comes and goes, and takes it up after the last event it saw. */
export function read(url: string, path: string, over: AbortSignal): { readonly seqs: number[] } {
  const seqs: number[] = []
  const follow = async (): Promise<void> => {
    while (!over.aborted) {
      const last = seqs.at(-1)
      const headers = {
        authorization: `Bearer ${KEY}`,
        accept: 'text/event-stream',
        ...(last !== undefined && { 'last-event-id': `${last}` }),
      }
      try {
        const response = await fetch(url + path, { headers, signal: over })
        const decoder = new SseDecoder()
        const text = response.body?.pipeThrough(new TextDecoderStream()) ?? []
        for await (const piece of text as AsyncIterable<string>)
          for (const { event, data } of decoder.push(piece))
            if (event === 'event') seqs.push((JSON.parse(data) as LogEvent).seq)
      } catch {
        // It was killed; it will be back.
      }
      await pause(50)
    }
  }
  void follow()
  return { seqs }
}

/** One, two, three, as many as there are. */
export function gapless(seqs: readonly number[]): number[] {
  return Array.from(seqs, (_, index) => index + 1)
}

/** Kills a gateway and starts it again, so many times. */
export async function torment(
  gateway: { kill(): void; start(): Promise<void> },
  { times, everyMs }: { readonly times: number; readonly everyMs: number },
): Promise<void> {
  for (let kill = 0; kill < times; kill++) {
    await pause(everyMs)
    gateway.kill()
    await pause(200)
    await gateway.start()
  }
}

export async function until(so: () => boolean | Promise<boolean>, minutes = 1): Promise<void> {
  for (const end = Date.now() + minutes * 60_000; !(await so()); await pause(50))
    if (Date.now() > end) throw new Error(`This did not come about in ${minutes} minutes.`)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
