/** What an operator is told while PostgreSQL is away, and how soon work goes on when it is back. */
import { messageOf } from '@holdpoint/core'
import { agent, holdpoint } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openSwitchingProxy } from '../../failover/switching-proxy.ts'

const OUTAGE_MS = 6000

test('an outage is told of a few times, not with every attempt, and the first request after it is done', async () => {
  const proxy = await openSwitchingProxy()
  onTestFinished(() => proxy.close())
  const url = await newDatabase()
  const port = Number(url.port)
  proxy.to(port)
  url.port = String(proxy.port)
  const told: string[] = []
  const hp = await holdpoint({
    store: url.href,
    agents: [agent({ name: 'desk', model: scriptedModel(['Hi.', 'Hi.']) })],
    // Heartbeats and looks that fail every few hundred milliseconds.
    leaseMs: 1500,
    lookMs: 100,
    onProblem: ({ error }) => void told.push(messageOf(error)),
  })
  onTestFinished(() => hp.close())
  await hp.send('c', 'Hello')
  expect(told).toEqual([])

  proxy.cut()
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS))
  // Each connection that broke, the notifications, the heartbeat and the look.
  expect(told.length).toBeGreaterThan(0)
  expect(told.length).toBeLessThan(20)

  proxy.to(port)
  // No attempt after the return may fail, so nothing waits for another one.
  expect(await hp.send('c', 'Hello again')).toMatchObject({ status: 'done' })
  expect(told.length).toBeLessThan(20)
})

async function newDatabase(): Promise<URL> {
  const url = new URL(inject('postgresUrl') ?? '')
  const client = new Client(url.href)
  await client.connect()
  const name = `outage_${process.pid}`
  await client.query(`create database ${name}`)
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  })
  url.pathname = name
  return url
}
