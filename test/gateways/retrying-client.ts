/** Clients of two gateways that retry requests and resume streams while the gateways are killed and restarted. */
import { SseDecoder } from '@holdpoint/protocol'
import type { LogEvent } from 'holdpoint'
import { KEY } from './gateway-process.ts'

/** Sends a request to the gateways in turn until one responds. */
export class RetryingClient {
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

/** Streams a log from one gateway, and resumes after the last event when the gateway restarts. */
export function readStream(url: string, path: string, over: AbortSignal): { readonly seqs: number[] } {
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
        // The gateway was killed and will restart.
      }
      await pause(50)
    }
  }
  void follow()
  return { seqs }
}

/** 1, 2, 3 … with the same length. */
export function gapless(seqs: readonly number[]): number[] {
  return Array.from(seqs, (_, index) => index + 1)
}

/** Kills and restarts a gateway several times. */
export async function killRepeatedly(
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

export async function until(condition: () => boolean | Promise<boolean>, minutes = 1): Promise<void> {
  for (const end = Date.now() + minutes * 60_000; !(await condition()); await pause(50))
    if (Date.now() > end) throw new Error(`The condition was not met within ${minutes} minutes.`)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
