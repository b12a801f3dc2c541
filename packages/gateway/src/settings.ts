/** The command's settings, from the environment. */
import { HoldpointError } from '@holdpoint/core'
import type { ServeOptions } from './serve.ts'

export interface Settings extends Pick<ServeOptions, 'port' | 'host' | 'hosts' | 'origins' | 'auth' | 'openConsole'> {
  /** The path of a file, or the URL of a PostgreSQL database. */
  readonly store: string
  /** A module with the program's agents. */
  readonly app: string | undefined
}

type Env = Readonly<Record<string, string | undefined>>

export function settingsOf(env: Env): Settings {
  const { HOLDPOINT_STORE = 'holdpoint.db', PORT = '8484', HOST, HOLDPOINT_APP } = env
  const port = Number(PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new HoldpointError('config-invalid', `PORT is a number from 0 to 65535, not "${PORT}".`)
  const hosts = listOf(env['HOLDPOINT_HOSTS'])
  const origins = listOf(env['HOLDPOINT_ORIGINS'])
  return {
    store: HOLDPOINT_STORE,
    app: HOLDPOINT_APP,
    port,
    auth: authOf(env),
    ...consoleOf(env['HOLDPOINT_CONSOLE']),
    ...(HOST !== undefined && { host: HOST }),
    ...(hosts && { hosts }),
    ...(origins && { origins }),
  }
}

function consoleOf(given: string | undefined): Pick<Settings, 'openConsole'> {
  if (given === undefined || given === '') return {}
  if (given === 'open') return { openConsole: true }
  throw new HoldpointError('config-invalid', `HOLDPOINT_CONSOLE is "open" or left out, not "${given}".`)
}

function authOf(env: Env): NonNullable<ServeOptions['auth']> {
  const { HOLDPOINT_KEY: key, HOLDPOINT_JWKS: jwks, HOLDPOINT_TOKEN_SECRET: secret } = env
  const claims = {
    ...(env['HOLDPOINT_ISSUER'] !== undefined && { issuer: env['HOLDPOINT_ISSUER'] }),
    ...(env['HOLDPOINT_AUDIENCE'] !== undefined && { audience: env['HOLDPOINT_AUDIENCE'] }),
  }
  if (jwks !== undefined && secret !== undefined)
    throw new HoldpointError(
      'config-invalid',
      'Tokens are checked by HOLDPOINT_JWKS or by HOLDPOINT_TOKEN_SECRET, not both.',
    )
  const by = jwks === undefined ? secret !== undefined && { secret } : { jwks }
  if (key !== undefined && key.length < 32)
    throw new HoldpointError('config-invalid', 'HOLDPOINT_KEY has at least 32 characters, made by chance.')
  return {
    ...(key !== undefined && { keys: [{ key, scopes: ['admin'] as const }] }),
    ...(by && { tokens: { ...by, ...claims } }),
  }
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const items = text
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  return items?.length ? items : undefined
}
