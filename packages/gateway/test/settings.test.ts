import { expect, test } from 'vitest'
import { settingsOf } from '../src/settings.ts'

test('one setting says whether it is a file or a database, and nothing else changes', () => {
  expect(settingsOf({})).toEqual({ store: 'holdpoint.db', app: undefined, port: 8484, auth: {} })
  expect(settingsOf({ HOLDPOINT_STORE: 'postgres://db/desk' }).store).toBe('postgres://db/desk')
})

test('names, origins, keys and tokens come from the environment', () => {
  expect(
    settingsOf({
      PORT: '80',
      HOST: '0.0.0.0',
      HOLDPOINT_HOSTS: 'a.test, b.test',
      HOLDPOINT_ORIGINS: 'https://a.test',
      HOLDPOINT_KEY: 'k'.repeat(40),
      HOLDPOINT_JWKS: 'https://id.test/jwks',
      HOLDPOINT_AUDIENCE: 'holdpoint',
    }),
  ).toMatchObject({
    port: 80,
    host: '0.0.0.0',
    hosts: ['a.test', 'b.test'],
    origins: ['https://a.test'],
    auth: {
      keys: [{ key: 'k'.repeat(40), scopes: ['admin'] }],
      tokens: { jwks: 'https://id.test/jwks', audience: 'holdpoint' },
    },
  })
})

test.each([
  { PORT: 'http' },
  { HOLDPOINT_KEY: 'short' },
  { HOLDPOINT_JWKS: 'https://id.test', HOLDPOINT_TOKEN_SECRET: 's'.repeat(40) },
])('%j is refused, with what to do', (env) => {
  expect(() => settingsOf(env)).toThrow(/PORT|HOLDPOINT_/)
})

test('the console is open only where that is said, and in that word', () => {
  expect(settingsOf({ HOLDPOINT_CONSOLE: 'open' }).openConsole).toBe(true)
  expect(settingsOf({ HOLDPOINT_CONSOLE: '' })).not.toHaveProperty('openConsole')
  expect(() => settingsOf({ HOLDPOINT_CONSOLE: 'yes' })).toThrow('HOLDPOINT_CONSOLE is "open" or left out')
})
