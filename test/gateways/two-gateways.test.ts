/**
 * Two gateways on one PostgreSQL database. One is killed and restarted while approvers answer over HTTP. Set
 * GATEWAY_CONVERSATIONS=500 for a larger run.
 */
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paths } from '@holdpoint/protocol'
import { proves } from '@holdpoint/testing'
import type { LogEvent } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from './fresh-database.ts'
import { RetryingClient, gapless, pause, readStream, killRepeatedly, until } from './retrying-client.ts'
import { GatewayProcess } from './gateway-process.ts'

const MANY = Number(process.env['GATEWAY_CONVERSATIONS'] ?? 200)
const KILLS = 5
const WATCHED = 10

test(
  proves(
    'answer.never-lost',
    'no answer is lost, no payment has an unknown call id, and no reader misses an event, while a gateway is killed five times',
  ),
  async () => {
    const effects = join(mkdtempSync(join(tmpdir(), 'gateways-')), 'effects')
    writeFileSync(effects, '')
    const store = await freshDatabase()
    const steady = await GatewayProcess.start(store, effects)
    const mortal = await GatewayProcess.start(store, effects)
    onTestFinished(() => (steady.kill(), mortal.kill()))
    const approver = new Approver([steady.url, mortal.url])
    const ids = Array.from({ length: MANY }, (_, nth) => `order-${nth}`)
    const over = new AbortController()
    const readers = ids.slice(0, WATCHED).map((id) => readStream(mortal.url, paths.events(id), over.signal))

    const left = ids.values()
    const clerks = Array.from({ length: 10 }, async () => {
      for (const id of left) await approver.serve(id)
    })
    await killRepeatedly(mortal, { times: KILLS, everyMs: 800 })
    await Promise.all(clerks)

    const logs = new Map<string, readonly LogEvent[]>()
    for (const id of ids) logs.set(id, await approver.events(id))
    await until(() => readers.every(({ seqs }, nth) => seqs.length >= logs.get(ids[nth]!)!.length))
    over.abort()

    for (const log of logs.values()) {
      expect(log.filter(({ type }) => type === 'call.approved')).toHaveLength(1)
      expect(log.filter((event) => event.type === 'call.settled' && event.outcome.ok)).toHaveLength(1)
    }
    const called = [...logs.values()].flat().flatMap((event) => (event.type === 'call.settled' ? [event.callId] : []))
    const paid = readFileSync(effects, 'utf8').trim().split('\n')
    expect(new Set(paid)).toEqual(new Set(called))
    for (const { seqs } of readers) expect(seqs).toEqual(gapless(seqs))
    expect(approver.accepted).toBe(MANY)
  },
  300_000,
)

/** Sends one order after the other and approves its payment. */
class Approver {
  accepted = 0
  readonly #client: RetryingClient

  constructor(urls: readonly string[]) {
    this.#client = new RetryingClient(urls)
  }

  async serve(id: string): Promise<void> {
    const client = this.#client
    await client.ask('POST', paths.messages(id), { content: 'Pay', agent: 'desk' }, `m-${id}`)
    const callId = await this.#held(id)
    const resolution = { kind: 'approve', by: 'grace' }
    const { verdict } = await client.ask<{ verdict?: string }>('POST', paths.resolve(id, callId), resolution)
    // An answer whose response was lost is sent again and gets `duplicate`.
    if (verdict === 'accepted' || verdict === 'duplicate') this.accepted++
    await until(async () => JSON.stringify(await client.ask('GET', paths.conversation(id))).includes('It is paid.'))
  }

  events(id: string): Promise<readonly LogEvent[]> {
    return this.#client.events(paths.events(id))
  }

  async #held(id: string): Promise<string> {
    for (;;) {
      const path = `${paths.holds()}?conversationId=${id}`
      const { items } = await this.#client.ask<{ items: readonly { callId: string }[] }>('GET', path)
      if (items[0]) return items[0].callId
      await pause(20)
    }
  }
}
