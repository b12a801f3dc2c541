/** `holdpoint doctor`: what is wrong, and what to do about it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '@holdpoint/core'
import { HoldpointHttpError } from '@holdpoint/client'
import { openStore } from 'holdpoint'
import type { Command, Options } from './command.ts'
import { EXIT, type ExitCode, type Io } from './io.ts'
import { openPlace } from './place.ts'

interface Finding {
  readonly what: string
  readonly ok: boolean
  readonly detail: string
  /** What to do. */
  readonly fix?: string
}

const OLDEST_NODE = [24, 15] as const
const MOST_CLOCK_DIFFERENCE_MS = 5000

export async function doctor({ options, io, out }: Command): Promise<ExitCode> {
  const findings: Finding[] = [nodeVersion(process.versions.node)]
  const { url = options.store === undefined ? io.env['HOLDPOINT_URL'] : undefined } = options
  const store = options.store ?? (url === undefined ? (io.env['HOLDPOINT_STORE'] ?? 'holdpoint.db') : undefined)
  if (url !== undefined) findings.push(...(await gatewayFindings(url, options, io)))
  if (store !== undefined) findings.push(...(await storeFindings(store)))
  const lines = findings.flatMap(({ what, ok, detail, fix }) => [
    `${ok ? out.good('ok  ') : out.bad('fail')} ${what}: ${detail}`,
    ...(fix === undefined ? [] : [`     ${fix}`]),
  ])
  const healthy = findings.every(({ ok }) => ok)
  out.result({ healthy, findings }, lines)
  return healthy ? EXIT.ok : EXIT.broken
}

function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  return {
    what: 'Node',
    ok,
    detail: version,
    ...(!ok && { fix: `Install Node ${OLDEST_NODE.join('.')} or later: npm install --save-dev node@24` }),
  }
}

async function storeFindings(location: string): Promise<readonly Finding[]> {
  const isFile = !/^[a-z][a-z0-9+.-]+:\/\//i.test(location)
  const shown = location.replace(/\/\/[^@/]*@/, '//')
  if (isFile && !existsSync(location)) {
    const folder = dirname(resolve(location))
    const ok = existsSync(folder) && may(folder, constants.W_OK)
    const fix = existsSync(folder) ? `chmod u+w ${folder}` : `mkdir -p ${folder}`
    const detail = ok ? 'there is no file yet; the first start makes it' : `${folder} cannot be written`
    return [{ what: `Store ${shown}`, ok, detail, ...(!ok && { fix }) }]
  }
  if (isFile && !may(location, constants.R_OK | constants.W_OK))
    return [
      { what: `Store ${shown}`, ok: false, detail: 'it cannot be read and written', fix: `chmod u+rw ${location}` },
    ]
  const findings: Finding[] = []
  if (isFile && (statSync(location).mode & 0o077) !== 0)
    findings.push({
      what: 'Permissions',
      ok: false,
      detail: 'other users of this machine can read the store',
      fix: `chmod 600 ${location}`,
    })
  try {
    const store = await openStore(location)
    try {
      const now = await store.beat('doctor', 1)
      await store.leave('doctor')
      findings.push({ what: `Store ${shown}`, ok: true, detail: 'it opens and can be written' })
      findings.push(clock(now - Date.now(), 'the store'))
    } finally {
      await store.close()
    }
  } catch (error) {
    findings.push({ what: `Store ${shown}`, ok: false, detail: messageOf(error) })
  }
  return findings
}

async function gatewayFindings(url: string, options: Options, io: Io): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  try {
    const answer = await fetch(new URL('/api/health', url), { signal: AbortSignal.timeout(10_000) })
    await answer.body?.cancel()
    findings.push({ what: `Gateway ${url}`, ok: answer.ok, detail: `it answers with status ${answer.status}` })
    const date = Date.parse(answer.headers.get('date') ?? '')
    if (Number.isFinite(date)) findings.push(clock(date - Date.now(), 'the gateway'))
  } catch (error) {
    const fix = `Start it: holdpoint start app.ts. Or set --url to its address.`
    return [{ what: `Gateway ${url}`, ok: false, detail: messageOf(error), fix }]
  }
  const key = options.key ?? io.env['HOLDPOINT_KEY']
  if (key === undefined)
    return [...findings, { what: 'Key', ok: false, detail: 'there is none', fix: 'Set HOLDPOINT_KEY or give --key.' }]
  const place = await openPlace({ url, key }, io)
  try {
    const { by, scopes } = await place.client.keys.me()
    findings.push({ what: 'Key', ok: true, detail: `${by}, with ${scopes.join(', ')}` })
  } catch (error) {
    const detail = error instanceof HoldpointHttpError ? error.message : messageOf(error)
    findings.push({ what: 'Key', ok: false, detail, fix: 'Create one: holdpoint keys create cli --scope resolver' })
  }
  return findings
}

function clock(difference: number, whose: string): Finding {
  const ok = Math.abs(difference) < MOST_CLOCK_DIFFERENCE_MS
  const detail = ok
    ? `agrees with that of ${whose}`
    : `differs from that of ${whose} by ${Math.round(difference / 1000)} s`
  return { what: 'Clock', ok, detail, ...(!ok && { fix: 'Turn on time synchronisation: timedatectl set-ntp true' }) }
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
