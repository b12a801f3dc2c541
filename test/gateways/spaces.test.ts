/**
 * Two gateways on one PostgreSQL database. One is killed and restarted while people and agents post in spaces. Set
 * GATEWAY_MESSAGES=1000 GATEWAY_KILLS=5 for a larger run.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentLogId } from '@holdpoint/core'
import { paths } from '@holdpoint/protocol'
import { proves } from '@holdpoint/testing'
import type { LogEvent } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { AGENTS } from './agents.ts'
import { freshDatabase } from './fresh-database.ts'
import { RetryingClient, gapless, readStream, killRepeatedly, until } from './retrying-client.ts'
import { GatewayProcess } from './gateway-process.ts'

const MESSAGES = Number(process.env['GATEWAY_MESSAGES'] ?? 200)
const SPACES = 20
const KILLS = Number(process.env['GATEWAY_KILLS'] ?? 2)
const names = Array.from({ length: AGENTS }, (_, nth) => `agent-${nth}`)

test(
  proves(
    'space.heard-once',
    'every message in a space is stored once and answered once by each agent, and no reader misses an event, while a gateway is killed and restarted',
  ),
  async () => {
    const effects = join(mkdtempSync(join(tmpdir(), 'gateways-')), 'effects')
    const store = await freshDatabase()
    const steady = await GatewayProcess.start(store, effects)
    const mortal = await GatewayProcess.start(store, effects)
    onTestFinished(() => (steady.kill(), mortal.kill()))
    const began = Date.now()
    const client = new RetryingClient([steady.url, mortal.url])
    const spaces = Array.from({ length: SPACES }, (_, nth) => ({ id: `space-${nth}`, agents: agentsOf(nth) }))
    for (const { id, agents } of spaces) {
      const members = agents.map((name) => ({ member: { kind: 'agent', id: name } }))
      await client.ask('POST', paths.spaces(), { id, name: id, by: 'ada', agentMessages: 0, members }, `make-${id}`)
    }
    const over = new AbortController()
    onTestFinished(() => over.abort())
    const readers = spaces.map(({ id }) => readStream(mortal.url, paths.spaceEvents(id), over.signal))

    const posting = spaces.map(async ({ id }, nth) => {
      for (let said = nth; said < MESSAGES; said += SPACES) {
        const body = { text: `message ${said}`, from: { kind: 'human', id: 'ada' } }
        await client.ask('POST', paths.spaceMessages(id), body, `m-${said}`)
      }
    })
    await killRepeatedly(mortal, { times: KILLS, everyMs: 800 })
    await Promise.all(posting)

    // The other gateway delivers the notices of a killed one after its lease expires. Until then the agents are asleep.
    const readLogs = () => Promise.all(spaces.map(({ id }) => client.events(paths.spaceEvents(id))))
    await until(async () => postsIn(await readLogs()) >= MESSAGES * 3 && (await asleep(client)), 5)
    const logs = await readLogs()
    await until(() => readers.every(({ seqs }, nth) => seqs.length >= logs[nth]!.length))
    over.abort()
    const seconds = (Date.now() - began) / 1000
    console.log(`${MESSAGES} messages in ${SPACES} spaces, answered by ${AGENTS} agents: ${seconds.toFixed(1)} s`)

    for (const [nth, { agents }] of spaces.entries()) {
      const own = Array.from({ length: MESSAGES }, (_, said) => said).filter((said) => said % SPACES === nth)
      const log = logs[nth] ?? []
      // In the order of posting.
      expect(textsOf(log, 'ada')).toEqual(own.map((said) => `message ${said}`))
      for (const agent of agents) expect(textsOf(log, agent)).toEqual(own.map((said) => `re message ${said}`))
      expect(readers[nth]?.seqs).toEqual(gapless(log.map(({ seq }) => seq)))
    }
    for (const name of names) {
      const events = await client.events(paths.events(agentLogId(name)))
      const handled = events.flatMap((event) => (event.type === 'turn.started' ? event.items : []))
      const ids = handled.flatMap((item) => (item.kind === 'event' ? [item.id] : []))
      expect(new Set(ids).size).toBe(ids.length)
    }
  },
  600_000,
)

/** Two agents per space, so each agent is in eight spaces. */
function agentsOf(nth: number): readonly string[] {
  return [0, 1].map((next) => names[(nth + next) % AGENTS] ?? '')
}

async function asleep(client: RetryingClient): Promise<boolean> {
  for (const name of names) {
    const agent = await client.ask<{ status: string; waiting: number }>('GET', paths.autonomousAgent(name))
    if (agent.status !== 'asleep' || agent.waiting > 0) return false
  }
  return true
}

function postsIn(logs: readonly (readonly LogEvent[])[]): number {
  return logs.flat().filter(({ type }) => type === 'message.posted').length
}

function textsOf(log: readonly LogEvent[], id: string): readonly string[] {
  return log.flatMap((event) => (event.type === 'message.posted' && event.from.id === id ? [event.text] : []))
}
