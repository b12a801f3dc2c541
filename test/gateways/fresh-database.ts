/** Creates an empty database on the test server. */
import { Client } from 'pg'
import { inject } from 'vitest'

let created = 0

export async function freshDatabase(): Promise<string> {
  const url = new URL(inject('postgresUrl') ?? '')
  const name = `gateways_${process.pid}_${++created}`
  const admin = new Client(url.href)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  url.pathname = `/${name}`
  return url.href
}
