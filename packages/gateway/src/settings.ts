/** Reads the settings of the command from the environment. */
import { HoldpointError } from '@holdpoint/core'
import type { TokenOptions } from './auth/tokens.ts'
import { limitsFromJson, type LimitsSetting } from './limits-setting.ts'
import { OPENID_SETTING_NAMES, openIdFromEnv } from './openid-setting.ts'
import type { ServeOptions } from './serve.ts'
import type { TelemetrySetting } from './gateway-telemetry.ts'
import { TELEMETRY_SETTING_NAMES, telemetryFromEnv } from './telemetry-setting.ts'

export interface Settings extends Pick<
  ServeOptions,
  'port' | 'host' | 'hosts' | 'origins' | 'auth' | 'openConsole' | 'trustedProxies'
> {
  /** The path of a SQLite file, or the URL of a PostgreSQL database. */
  readonly store: string
  /** A direct URL, if the one of the store is a pooler in transaction mode. */
  readonly listenUrl?: string
  /** NATS servers that carry notifications. */
  readonly nats?: readonly string[]
  /** The path of a JSON file with several stores, instead of `store`. */
  readonly cells: string | undefined
  /** The path of the module with the program's agents. */
  readonly app: string | undefined
  readonly limits?: LimitsSetting
  readonly telemetry?: TelemetrySetting
  /** A private key in PEM form, or the path of one, which is made if it is missing. */
  readonly signingKey?: string
}

type Env = Readonly<Record<string, string | undefined>>

/** Every setting. Another name with the same prefix is misspelt, and refused. */
const NAMES: ReadonlySet<string> = new Set([
  'HOLDPOINT_STORE',
  'HOLDPOINT_STORE_LISTEN',
  'HOLDPOINT_CELLS',
  'HOLDPOINT_NATS',
  'HOLDPOINT_APP',
  'HOLDPOINT_HOSTS',
  'HOLDPOINT_ORIGINS',
  'HOLDPOINT_LIMITS',
  'HOLDPOINT_TRUSTED_PROXIES',
  'HOLDPOINT_CONSOLE',
  'HOLDPOINT_KEY',
  'HOLDPOINT_SIGNING_KEY',
  'HOLDPOINT_JWKS',
  'HOLDPOINT_TOKEN_SECRET',
  'HOLDPOINT_ISSUER',
  'HOLDPOINT_AUDIENCE',
  'HOLDPOINT_TOKEN_LIFE_MS',
  ...OPENID_SETTING_NAMES,
  ...TELEMETRY_SETTING_NAMES,
])

export function settingsFromEnv(env: Env): Settings {
  const unknown = Object.keys(env).find((name) => name.startsWith('HOLDPOINT_') && !NAMES.has(name))
  if (unknown !== undefined)
    throw new HoldpointError(
      'config-invalid',
      `${unknown} is set in the environment, but is not a setting. The settings are PORT, HOST, ${[...NAMES].join(', ')}.`,
    )
  const { HOLDPOINT_STORE = 'holdpoint.db', HOLDPOINT_STORE_LISTEN: listenUrl, HOLDPOINT_CELLS } = env
  const { PORT = '8484', HOST, HOLDPOINT_APP } = env
  if (HOLDPOINT_CELLS !== undefined && (env['HOLDPOINT_STORE'] ?? listenUrl ?? env['HOLDPOINT_NATS']) !== undefined)
    throw new HoldpointError(
      'config-invalid',
      'Set HOLDPOINT_STORE or HOLDPOINT_CELLS, not both. HOLDPOINT_STORE_LISTEN and HOLDPOINT_NATS are for a single store.',
    )
  const port = Number(PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new HoldpointError('config-invalid', `PORT must be a number from 0 to 65535, not "${PORT}".`)
  const hosts = listOf(env['HOLDPOINT_HOSTS'])
  const origins = listOf(env['HOLDPOINT_ORIGINS'])
  const proxies = listOf(env['HOLDPOINT_TRUSTED_PROXIES'])
  const nats = listOf(env['HOLDPOINT_NATS'])
  const limits = limitsFromJson(env['HOLDPOINT_LIMITS'])
  const telemetry = telemetryFromEnv(env)
  const { HOLDPOINT_SIGNING_KEY: signingKey } = env
  return {
    store: HOLDPOINT_STORE,
    ...(listenUrl !== undefined && { listenUrl }),
    cells: HOLDPOINT_CELLS,
    ...(nats && { nats }),
    app: HOLDPOINT_APP,
    port,
    auth: authOf(env),
    ...consoleOf(env['HOLDPOINT_CONSOLE']),
    ...(HOST !== undefined && { host: HOST }),
    ...(hosts && { hosts }),
    ...(origins && { origins }),
    ...(limits && { limits }),
    ...(telemetry && { telemetry }),
    ...(signingKey !== undefined && signingKey !== '' && { signingKey }),
    ...(proxies && { trustedProxies: countOf(proxies) ?? proxies }),
  }
}

function countOf([first = '', ...more]: readonly string[]): number | undefined {
  return more.length === 0 && /^\d+$/.test(first) ? Number(first) : undefined
}

function consoleOf(given: string | undefined): Pick<Settings, 'openConsole'> {
  if (given === undefined || given === '') return {}
  if (given === 'open') return { openConsole: true }
  throw new HoldpointError('config-invalid', `HOLDPOINT_CONSOLE must be "open" or unset, not "${given}".`)
}

function authOf(env: Env): NonNullable<ServeOptions['auth']> {
  const { HOLDPOINT_KEY: key } = env
  const tokens = tokensOf(env)
  const openId = openIdFromEnv(env)
  if (key !== undefined && key.length < 32)
    throw new HoldpointError('config-invalid', 'HOLDPOINT_KEY must have at least 32 random characters.')
  return {
    ...(key !== undefined && { keys: [{ key, scopes: ['admin'] as const, mayActFor: true as const }] }),
    ...(tokens && { tokens }),
    ...(openId && { openId }),
  }
}

function tokensOf(env: Env): TokenOptions | undefined {
  const { HOLDPOINT_JWKS: jwks, HOLDPOINT_TOKEN_SECRET: secret } = env
  const { HOLDPOINT_ISSUER: issuer, HOLDPOINT_AUDIENCE: audience, HOLDPOINT_TOKEN_LIFE_MS: life } = env
  if (jwks !== undefined && secret !== undefined)
    throw new HoldpointError('config-invalid', 'Set HOLDPOINT_JWKS or HOLDPOINT_TOKEN_SECRET, not both.')
  const maxLifeMs = Number(life ?? 1)
  if (!Number.isInteger(maxLifeMs) || maxLifeMs < 1)
    throw new HoldpointError('config-invalid', 'HOLDPOINT_TOKEN_LIFE_MS must be a number of milliseconds.')
  const more = life === undefined ? {} : { maxLifeMs }
  if (secret !== undefined)
    return { secret, ...more, ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) }
  if (jwks === undefined) return undefined
  if (!issuer || !audience)
    throw new HoldpointError(
      'config-invalid',
      'HOLDPOINT_JWKS needs HOLDPOINT_ISSUER and HOLDPOINT_AUDIENCE, so that only tokens for this gateway are accepted.',
    )
  return { jwks, issuer, audience, ...more }
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const items = text
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  return items?.length ? items : undefined
}
