/**
 * Two gateways on one PostgreSQL, one of them killed and started again while people answer over HTTP. With
 * GATEWAY_CONVERSATIONS=500 as large as you like.
 */
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paths, SseDecoder } from '@holdpoint/protocol'
import { proves } from '@holdpoint/testing'
import type { LogEvent } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from './fresh-database.ts'
import { GatewayProcess, KEY } from './process.ts'

const MANY = Number(process.env['GATEWAY_CONVERSATIONS'] ?? 200)
const KILLS = 5
const WATCHED = 10

test(
  proves(
    'answer.never-lost',
    'no answer is lost, no payment is made under another id, and no reader misses an event, while a gateway is killed five times',
  ),
  async () => {
    const effects = join(mkdtempSync(join(tmpdir(), 'gateways-')), 'effects')
    writeFileSync(effects, '')
    const store = await freshDatabase()
    const steady = await GatewayProcess.start(store, effects)
    const mortal = await GatewayProcess.start(store, effects)
    onTestFinished(() => (steady.kill(), mortal.kill()))
    const desk = new Desk([steady.url, mortal.url])
    const ids = Array.from({ length: MANY }, (_, nth) => `order-${nth}`)
    const over = new AbortController()
    const readers = ids.slice(0, WATCHED).map((id) => read(mortal.url, id, over.signal))

    const left = ids.values()
    const clerks = Array.from({ length: 10 }, async () => {
      for (const id of left) await desk.serve(id)
    })
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(800)
      mortal.kill()
      await pause(200)
      await mortal.start()
    }
    await Promise.all(clerks)

    const logs = new Map<string, readonly LogEvent[]>()
    for (const id of ids) logs.set(id, await desk.events(id))
    await until(() => readers.every(({ seqs }, nth) => seqs.length >= logs.get(ids[nth]!)!.length))
    over.abort()

    for (const log of logs.values()) {
      expect(log.filter(({ type }) => type === 'call.approved')).toHaveLength(1)
      expect(log.filter((event) => event.type === 'call.settled' && event.outcome.ok)).toHaveLength(1)
    }
    const called = [...logs.values()].flat().flatMap((event) => (event.type === 'call.settled' ? [event.callId] : []))
    const paid = readFileSync(effects, 'utf8').trim().split('\n')
    expect(new Set(paid)).toEqual(new Set(called))
    for (const { seqs } of readers) expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1))
    expect(desk.accepted).toBe(MANY)
  },
  300_000,
)

/** Somebody who asks whichever gateway answers, and asks again until one does. */
class Desk {
  accepted = 0
  readonly #urls: readonly string[]
  #nth = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  async serve(id: string): Promise<void> {
    await this.#ask('POST', paths.messages(id), { content: 'Pay', agent: 'desk' }, `m-${id}`)
    const callId = await this.#held(id)
    const { verdict } = await this.#ask('POST', paths.resolve(id, callId), { kind: 'approve', by: 'grace' })
    // An answer whose acknowledgement was lost is given again, and told that it was taken.
    if (verdict === 'accepted' || verdict === 'duplicate') this.accepted++
    await until(async () => JSON.stringify(await this.#ask('GET', paths.conversation(id))).includes('It is paid.'))
  }

  async events(id: string): Promise<readonly LogEvent[]> {
    return (await this.#ask('GET', paths.events(id))).items ?? []
  }

  async #held(id: string): Promise<string> {
    for (;;) {
      const { items = [] } = await this.#ask('GET', `${paths.holds()}?conversationId=${id}`)
      const [hold] = items as unknown as readonly { readonly callId: string }[]
      if (hold) return hold.callId
      await pause(20)
    }
  }

  async #ask(method: string, path: string, body?: object, key?: string): Promise<Answer> {
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
        const answer = (await response.json()) as Answer
        if (response.status < 500 && response.status !== 429) {
          if (!response.ok) throw new Refused(`${method} ${path}: ${JSON.stringify(answer)}`)
          return answer
        }
      } catch (error) {
        if (error instanceof Refused) throw error
      }
      await pause(30)
    }
  }
}

class Refused extends Error {}

interface Answer {
  readonly verdict?: string
  readonly items?: readonly LogEvent[]
}

/** Follows a conversation on one gateway, which comes and goes, and takes it up after the last event it saw. */
function read(url: string, id: string, over: AbortSignal): { readonly seqs: number[] } {
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
        const response = await fetch(url + paths.events(id), { headers, signal: over })
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

async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await so()); await pause(50))
    if (Date.now() > end) throw new Error('This did not come about in a minute.')
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
