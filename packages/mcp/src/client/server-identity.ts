/** The identity of a server, its display address, and the credentials in its configuration. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { isCommand, type AnyServer, type McpCommandConfig } from './server-config.ts'

/** Without path, query or arguments, which may contain credentials. */
export function displayAddress(server: AnyServer): string {
  return isCommand(server) ? basename(server.command) : new URL(server.url ?? '').origin
}

/** Possible credentials in the address or the command line, which the server or an error may repeat. */
export function credentialsIn(server: AnyServer): readonly string[] {
  const found = isCommand(server) ? inCommand(server) : inUrl(new URL(server.url ?? ''))
  // Shorter values would match unrelated text.
  return found.filter(({ length }) => length >= 8)
}

const CREDENTIAL = /key|token|secret|pass|pwd|auth|cred|session/i
/** Long, with letters and digits: not an ordinary word. */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z]).{16,}$/

function inUrl({ pathname, searchParams, username, password }: URL): readonly string[] {
  const segments = pathname.split('/').filter((segment) => RANDOM.test(segment))
  return [...segments, ...searchParams.values(), username, password]
}

/** `--token x`, `--token=x`, and environment variables. Other arguments, such as a path, may occur in every result. */
function inCommand({ args = [], env = {} }: McpCommandConfig): readonly string[] {
  const flags = args.flatMap((arg, nth) => {
    const [flag = '', ...value] = arg.split('=')
    if (!flag.startsWith('-') || !CREDENTIAL.test(flag)) return []
    return value.length > 0 ? [value.join('=')] : args.slice(nth + 1, nth + 2)
  })
  return [...flags, ...Object.entries(env).flatMap(([name, value]) => (CREDENTIAL.test(name) ? [value] : []))]
}

/** Depends on the address or the command, and not on credentials in headers or the environment. */
export function serverIdentity(server: AnyServer): string {
  const what = isCommand(server) ? [server.command, ...(server.args ?? [])] : [server.url]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16)
}
