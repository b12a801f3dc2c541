import { expect, test } from 'vitest'
import { hostsOf } from '../src/hosts.ts'

test('a URL with several hosts is one URL for each, without the option that only libpq knows', () => {
  expect(
    hostsOf('postgres://app:p%40ss@db1,db2:5433/app?sslmode=require&target_session_attrs=read-write').urls,
  ).toEqual(['postgres://app:p%40ss@db1/app?sslmode=require', 'postgres://app:p%40ss@db2:5433/app?sslmode=require'])
  expect(hostsOf('postgresql://[::1]:5432,[::2]:5432/app?target_session_attrs=primary').urls).toEqual([
    'postgresql://[::1]:5432/app',
    'postgresql://[::2]:5432/app',
  ])
})

test('a URL with one host, or of a form that only the driver knows, stays as it is', () => {
  for (const url of ['postgres://app@db/app', 'postgres:///app?host=%2Ftmp', 'socket:/tmp?db=app', 'postgres://db']) {
    expect(hostsOf(url).urls).toEqual([url])
  }
})

test('a store needs a server that it can write to', () => {
  const why = 'target_session_attrs is "standby": a store writes, so use read-write or leave it out.'
  expect(() => hostsOf('postgres://db1,db2/app?target_session_attrs=standby')).toThrow(why)
})

test('the host that worked last is tried first, and failures of an earlier one change nothing', () => {
  const hosts = hostsOf('postgres://a,b,c/app')
  const [a, b, c] = hosts.urls as [string, string, string]
  hosts.failed(a)
  hosts.failed(a)
  expect(hosts.current).toBe(b)
  hosts.failed(b)
  hosts.failed(c)
  expect(hosts.current).toBe(a)
  hosts.worked(c)
  hosts.failed(a)
  expect(hosts.current).toBe(c)
})
