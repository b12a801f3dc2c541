import { expect, test } from 'vitest'
import { settingsFromEnv } from '../src/settings.ts'

test('one setting chooses between a file and a database', () => {
  expect(settingsFromEnv({})).toEqual({ store: 'holdpoint.db', app: undefined, port: 8484, auth: {} })
  expect(settingsFromEnv({ HOLDPOINT_STORE: 'postgres://db/desk' }).store).toBe('postgres://db/desk')
  const pooled = { HOLDPOINT_STORE: 'postgres://pooler/desk', HOLDPOINT_STORE_LISTEN: 'postgres://db/desk' }
  expect(settingsFromEnv(pooled)).toMatchObject({ store: 'postgres://pooler/desk', listenUrl: 'postgres://db/desk' })
})

test('names, origins, keys and tokens come from the environment', () => {
  expect(
    settingsFromEnv({
      PORT: '80',
      HOST: '0.0.0.0',
      HOLDPOINT_HOSTS: 'a.test, b.test',
      HOLDPOINT_ORIGINS: 'https://a.test',
      HOLDPOINT_KEY: 'k'.repeat(40),
      HOLDPOINT_JWKS: 'https://id.test/jwks',
      HOLDPOINT_ISSUER: 'https://id.test',
      HOLDPOINT_AUDIENCE: 'holdpoint',
      HOLDPOINT_TOKEN_LIFE_MS: '3600000',
    }),
  ).toMatchObject({
    port: 80,
    host: '0.0.0.0',
    hosts: ['a.test', 'b.test'],
    origins: ['https://a.test'],
    auth: {
      keys: [{ key: 'k'.repeat(40), scopes: ['admin'], mayActFor: true }],
      tokens: {
        jwks: 'https://id.test/jwks',
        issuer: 'https://id.test',
        audience: 'holdpoint',
        maxLifeMs: 3_600_000,
      },
    },
  })
})

test.each([
  { PORT: 'http' },
  { HOLDPOINT_KEY: 'short' },
  { HOLDPOINT_JWKS: 'https://id.test', HOLDPOINT_TOKEN_SECRET: 's'.repeat(40) },
  { HOLDPOINT_JWKS: 'https://id.test', HOLDPOINT_AUDIENCE: 'holdpoint' },
  { HOLDPOINT_TOKEN_SECRET: 's'.repeat(40), HOLDPOINT_TOKEN_LIFE_MS: 'a day' },
])('%j is refused, with what to do', (env) => {
  expect(() => settingsFromEnv(env)).toThrow(/PORT|HOLDPOINT_/)
})

test('the console is open only with the value "open"', () => {
  expect(settingsFromEnv({ HOLDPOINT_CONSOLE: 'open' }).openConsole).toBe(true)
  expect(settingsFromEnv({ HOLDPOINT_CONSOLE: '' })).not.toHaveProperty('openConsole')
  expect(() => settingsFromEnv({ HOLDPOINT_CONSOLE: 'yes' })).toThrow('HOLDPOINT_CONSOLE must be "open" or unset')
})

test('a name of the environment that begins like a setting and is none is refused; others are none of ours', () => {
  expect(() => settingsFromEnv({ HOLDPOINT_HOST: 'a.test' })).toThrow(
    'HOLDPOINT_HOST is set in the environment, but is not a setting. The settings are PORT, HOST, HOLDPOINT_STORE,',
  )
  expect(settingsFromEnv({ PATH: '/bin', HOLDPOINTS: '1' })).toMatchObject({ port: 8484 })
})
