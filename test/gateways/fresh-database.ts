/** A database of its own on the server of the tests. */
import { Client } from 'pg'
import { inject } from 'vitest'

let made = 0

export async function freshDatabase(): Promise<string> {
  const url = new URL(inject('postgresUrl') ?? '')
  const name = `gateways_${process.pid}_${++made}`
  const admin = new Client(url.href)
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  url.pathname = `/${name}`
  return url.href
}
