/** What a PostgreSQL store warns of reaches the operator. */
import { HoldpointError, messageOf } from '@holdpoint/core'
import { scriptedModel } from '@holdpoint/testing'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { agent, holdpoint } from '../src/index.ts'

test('a warning of the store is a problem of the runtime that opened it', async () => {
  const url = new URL(inject('postgresUrl') ?? '')
  const client = new Client(url.href)
  await client.connect()
  const name = `warns_${process.pid}`
  await client.query(`create database ${name}`)
  url.pathname = name
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  })
  const told: string[] = []
  const onProblem = ({ error }: { readonly error: unknown }): void => {
    if (!HoldpointError.is(error)) told.push(messageOf(error))
  }
  const hp = await holdpoint({
    store: url.href,
    agents: [agent({ name: 'desk', model: scriptedModel([]) })],
    onProblem,
  })
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await expect
    .poll(() => told, { timeout: 20_000 })
    .toContainEqual(expect.stringContaining('A connection to PostgreSQL'))
  await hp.close()
})
