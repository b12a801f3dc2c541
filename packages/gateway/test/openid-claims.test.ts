import { expect, test } from 'vitest'
import type { Scope } from '@holdpoint/protocol'
import { personFrom } from '../src/auth/openid-claims.ts'
import { openIdSettings } from '../src/auth/openid-options.ts'
import { localPath } from '../src/auth/sign-in.ts'
import { settingsFromEnv } from '../src/settings.ts'

const scopesByGroup: Readonly<Record<string, readonly Scope[]>> = { finance: ['resolver', 'reader'], ops: ['admin'] }
const options = { issuer: 'https://id.acme.test', clientId: 'holdpoint', scopesByGroup }
const settings = openIdSettings(options, ['localhost'])
const byClaim = openIdSettings({ ...options, tenant: { claim: 'org' } }, ['localhost'])
const forAll = openIdSettings({ ...options, scopesByGroup: { ...scopesByGroup, '*': ['reader'] } }, ['localhost'])
const ada = { sub: 'ada', groups: ['finance'] }

test('groups give scopes, each once; groups without scopes stay groups', () => {
  const groups = ['finance', 'ops', 'guests', 'constructor', '__proto__']
  expect(personFrom({ sub: 'ada', name: 'Ada', groups }, settings)).toEqual({
    id: 'ada',
    tenant: '',
    name: 'Ada',
    groups,
    scopes: ['resolver', 'reader', 'admin'],
  })
})

test('* is everyone, and not a group with that name', () => {
  expect(personFrom({ sub: 'bob' }, forAll)).toMatchObject({ groups: [], scopes: ['reader'] })
  expect(() => personFrom({ sub: 'bob', groups: ['*'] }, settings)).toThrow('in no group of `scopesByGroup`')
})

test('the tenant is fixed, or comes from a claim', () => {
  expect(personFrom(ada, openIdSettings({ ...options, tenant: 'acme' }, ['localhost'])).tenant).toBe('acme')
  expect(personFrom({ ...ada, org: 'umbrella', tenant: 'acme' }, byClaim).tenant).toBe('umbrella')
  expect(personFrom({ ...ada, org: ['staff', 'acme'] }, byClaim)).toMatchObject({
    tenant: 'staff',
    tenants: ['staff', 'acme'],
  })
  expect(personFrom({ ...ada, org: ['acme'] }, byClaim)).not.toHaveProperty('tenants')
})

test.each([
  [{ groups: ['finance'] }, '"sub" is missing'],
  [{ sub: '' }, '"sub" is missing or not a valid name'],
  [{ sub: 'a\u0000b' }, '"sub" is missing or not a valid name'],
  [{ sub: 'KEY:x', org: 'a' }, 'reserved for keys'],
  [ada, 'the tenant claim "org" is missing'],
  [{ ...ada, org: '' }, 'the tenant claim "org" is not a valid name'],
  [{ ...ada, org: [] }, 'the tenant claim "org" is not a valid name'],
  [{ ...ada, org: ['a', 5] }, 'the tenant claim "org" is not a valid name'],
  [{ ...ada, org: Array.from({ length: 101 }, (_, nth) => `t${nth}`) }, 'at most 100 of them'],
  [{ sub: 'ada', org: 'a', groups: 'finance' }, 'must be an array'],
  [{ sub: 'ada', org: 'a', groups: [{ name: 'finance' }] }, 'must be an array'],
  [{ sub: 'ada', org: 'a', groups: Array.from({ length: 1001 }, (_, nth) => `g${nth}`) }, 'at most 1000 names'],
  [{ sub: 'ada', org: 'a', _claim_names: { groups: 'src1' } }, 'too many groups'],
  [{ sub: 'ada', org: 'a' }, 'in no group of `scopesByGroup` (groups: none)'],
])('the claims %j are refused by name', (claims, message) => {
  expect(() => personFrom(claims, byClaim)).toThrow(message)
})

test.each([
  ['/holds/c1/k1?x=1', '/holds/c1/k1?x=1'],
  ['/', '/'],
  [undefined, '/'],
  ['', '/'],
  ['holds', '/'],
  ['//evil.test', '/'],
  ['/\\evil.test', '/'],
  ['/\t/evil.test', '/'],
  ['/.//evil.test', '/evil.test'],
  ['/x/..//evil.test', '/evil.test'],
  ['https://evil.test/', '/'],
  ['https:evil.test', '/'],
  ['javascript:alert(1)', '/'],
  ['/@evil.test', '/@evil.test'],
  ['/auth/sign-in', '/'],
  ['/api/me', '/'],
  ['/x/../auth/sign-in', '/'],
  ['/holds#sign-in=failed', '/holds'],
  [`/${'x'.repeat(3000)}`, '/'],
])('after the sign-in, %j leads to %j on this origin', (given, path) => {
  const origin = 'https://holdpoint.acme.test'
  expect(localPath(given, origin)).toBe(path)
  expect(new URL(localPath(given, origin), origin).origin).toBe(origin)
})

test.each([
  [{ issuer: 'http://id.acme.test' }, '`issuer` must be an https URL'],
  [{ issuer: 'id.acme.test' }, '`issuer` must be an https URL'],
  [{ clientId: '' }, '`clientId` is empty'],
  [{ clientSecret: '' }, '`clientSecret` is empty'],
  [{ url: 'http://holdpoint.acme.test' }, '`url` must be an https URL'],
  [{ url: 'https://holdpoint.acme.test/console' }, '`url` must have no path'],
  [{ scopes: ['profile'] }, '`scopes` must contain "openid"'],
  [{ tenant: '..' }, '`tenant` is ".."'],
  [{ scopesByGroup: {} }, '`scopesByGroup` is empty'],
  [{ scopesByGroup: { finance: ['approver'] } }, 'a list of scopes for "finance"'],
  [{ scopesByGroup: { finance: [] } }, 'a list of scopes for "finance"'],
  [{ sessionMs: 10 }, '`sessionMs` must be'],
])('the options %j are refused at the start', (change, message) => {
  expect(() => openIdSettings({ ...options, ...change } as typeof options, ['localhost'])).toThrow(message)
})

test('a gateway that others can reach needs its URL, because the Host header is chosen by the client', () => {
  expect(() => openIdSettings(options, ['holdpoint.acme.test'])).toThrow('HOLDPOINT_OPENID_URL')
  expect(() => openIdSettings(options, ['*'])).toThrow('HOLDPOINT_OPENID_URL')
  expect(openIdSettings({ ...options, url: 'https://holdpoint.acme.test/' }, ['*']).origin).toBe(
    'https://holdpoint.acme.test',
  )
})

const env = {
  HOLDPOINT_OPENID_ISSUER: 'https://id.acme.test',
  HOLDPOINT_OPENID_CLIENT_ID: 'holdpoint',
  HOLDPOINT_OPENID_SCOPES_BY_GROUP: '{"finance":["resolver","reader"]}',
}

test('the settings come from the environment', () => {
  expect(settingsFromEnv(env).auth?.openId).toEqual({
    issuer: 'https://id.acme.test',
    clientId: 'holdpoint',
    scopesByGroup: { finance: ['resolver', 'reader'] },
  })
  const all = {
    ...env,
    HOLDPOINT_OPENID_CLIENT_SECRET: 's',
    HOLDPOINT_OPENID_URL: 'https://holdpoint.acme.test',
    HOLDPOINT_OPENID_NAME: 'Acme',
    HOLDPOINT_OPENID_SCOPES: 'openid profile groups',
    HOLDPOINT_OPENID_TENANT_CLAIM: 'org',
    HOLDPOINT_OPENID_GROUPS_CLAIM: 'roles',
    HOLDPOINT_OPENID_SESSION_MS: '3600000',
  }
  expect(settingsFromEnv(all).auth?.openId).toMatchObject({
    clientSecret: 's',
    url: 'https://holdpoint.acme.test',
    name: 'Acme',
    scopes: ['openid', 'profile', 'groups'],
    tenant: { claim: 'org' },
    groupsClaim: 'roles',
    sessionMs: 3_600_000,
  })
  expect(settingsFromEnv({ ...env, HOLDPOINT_OPENID_TENANT: 'acme' }).auth?.openId?.tenant).toBe('acme')
})

test.each([
  [{ HOLDPOINT_OPENID_ISSUER: '' }, 'HOLDPOINT_OPENID_ISSUER is not'],
  [{ HOLDPOINT_OPENID_CLIENT_ID: '' }, 'HOLDPOINT_OPENID_CLIENT_ID is not set'],
  [{ HOLDPOINT_OPENID_SCOPES_BY_GROUP: '' }, 'HOLDPOINT_OPENID_SCOPES_BY_GROUP must be'],
  [{ HOLDPOINT_OPENID_SCOPES_BY_GROUP: '["reader"]' }, 'HOLDPOINT_OPENID_SCOPES_BY_GROUP must be'],
  [{ HOLDPOINT_OPENID_SCOPES_BY_GROUP: '{"finance":["approver"]}' }, 'HOLDPOINT_OPENID_SCOPES_BY_GROUP must be'],
  [{ HOLDPOINT_OPENID_SESSION_MS: '8h' }, 'HOLDPOINT_OPENID_SESSION_MS must be'],
  [{ HOLDPOINT_OPENID_TENANT: 'a', HOLDPOINT_OPENID_TENANT_CLAIM: 'b' }, 'not both'],
  [{ HOLDPOINT_OPENID_ISUER: 'x' }, 'HOLDPOINT_OPENID_ISUER is set in the environment, but is not a setting'],
])('the environment %j is refused, with what to do', (change, message) => {
  expect(() => settingsFromEnv({ ...env, ...change })).toThrow(message)
})
