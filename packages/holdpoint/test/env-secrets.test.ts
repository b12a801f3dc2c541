import { expect, test } from 'vitest'
import { envSecrets } from 'holdpoint'

const env = { TRACKER: 'for the tracker', DATABASE_URL: 'postgres://ada:pass@db.internal', EMPTY: '' }

test('of the environment, only the variables that are listed are secrets of agents', () => {
  const secrets = envSecrets(['TRACKER', 'EMPTY', 'MISSING', '__proto__'], env)
  const read = (name: string) => secrets('acme', name)
  expect(read('TRACKER')).toBe('for the tracker')
  expect(read('EMPTY')).toBe('')
  for (const name of ['MISSING', 'DATABASE_URL', 'tracker', 'toString']) expect(read(name), name).toBeUndefined()
})

test('a list by tenant gives a tenant its own variables, and none of another tenant', () => {
  const secrets = envSecrets({ acme: ['TRACKER'], umbrella: ['DATABASE_URL'] }, env)
  expect(secrets('acme', 'TRACKER')).toBe('for the tracker')
  expect(secrets('umbrella', 'TRACKER')).toBeUndefined()
  expect(secrets('acme', 'DATABASE_URL')).toBeUndefined()
  for (const tenant of ['', 'constructor', '__proto__']) expect(secrets(tenant, 'TRACKER'), tenant).toBeUndefined()
})

test('without another environment it is that of the process, when the secret is needed', () => {
  const secrets = envSecrets(['HOLDPOINT_TEST_SECRET'])
  expect(secrets('', 'HOLDPOINT_TEST_SECRET')).toBeUndefined()
  process.env['HOLDPOINT_TEST_SECRET'] = 'made later'
  try {
    expect(secrets('', 'HOLDPOINT_TEST_SECRET')).toBe('made later')
  } finally {
    delete process.env['HOLDPOINT_TEST_SECRET']
  }
})
