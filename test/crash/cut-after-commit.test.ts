/** The connection breaks after the server committed and before it could answer: the writer must report the true outcome. */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { proxyTo } from '../../packages/store-postgres/test/proxy.ts'
import { effectsIn } from '../../crash/campaign.ts'
import { postgresPlace } from './places.ts'
import { ownServer } from './postgres-server.ts'
import { callsTo, has, isOver, openStation } from './station.ts'

const server = ownServer()
/** Cuts the connection only in the statement that appends. */
const APPEND = '\0append\0'

test(
  proves(
    'hold.never-accepted-and-dropped',
    'hold.resolves-once',
    'call.never-after-outcome',
    'a message, an answer and a result whose acknowledgement was lost are reported correctly and written once',
  ),
  async () => {
    const proxy = await proxyTo(server().url)
    const { place, effects } = postgresPlace(server().url)
    const station = await openStation({
      place: place.replace(/^[^#]*/, proxy.url),
      effects,
      // A long lease: on a slow machine, a process that lost its lease would ask about the charge instead of continuing.
      env: { PAUSE_AT: 'charge:after', LEASE_MS: '30000' },
    })
    proxy.loseAnswerTo(APPEND)
    expect(await station.ask('submit', 'c', 'order one', { key: 'one' })).toMatchObject({ ok: true })
    expect(proxy.lost).toBe(1)
    expect(await station.ask('submit', 'c', 'order one', { key: 'one' })).toMatchObject({ ok: true, repeated: true })

    // The only possible append now is the result of the tool.
    await station.child.line('at')
    await station.until('c', has('call.settled', 'note'))
    proxy.loseAnswerTo(APPEND)
    station.go()
    await station.until('c', has('call.held', 'ship'))
    expect(proxy.lost).toBe(2)

    const { items } = await station.ask('pending')
    const idOf = (tool: string): string => items.find(({ name }) => name === tool)?.callId ?? ''
    proxy.loseAnswerTo(APPEND)
    expect(await station.ask('answer', 'c', idOf('ship'), 'sent', { by: 'cleo' })).toMatchObject({
      verdict: 'accepted',
    })
    expect(proxy.lost).toBe(3)
    for (const by of ['ann', 'bob']) {
      proxy.loseAnswerTo(APPEND)
      expect(await station.ask('approve', 'c', idOf('email'), { by })).toMatchObject({ verdict: 'accepted' })
    }
    expect(await station.ask('answer', 'c', idOf('ship'), 'sent again')).toMatchObject({ verdict: 'conflict' })

    const events = await station.until('c', isOver)
    const count = (tool: string, type: string): number =>
      callsTo(tool, events).filter((event) => event.type === type).length
    expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(1)
    expect(['note', 'charge', 'email', 'ship'].map((tool) => count(tool, 'call.settled'))).toEqual([1, 1, 1, 1])
    expect(['note', 'charge', 'email'].map((tool) => count(tool, 'call.started'))).toEqual([1, 1, 1])
    expect(count('email', 'call.endorsed') + count('email', 'call.approved')).toBe(3)
    expect(effectsIn(effects)).toHaveLength(3)
    expect(proxy.lost).toBeGreaterThanOrEqual(4)
  },
  240_000,
)
