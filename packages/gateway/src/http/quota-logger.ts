/** Logs that a tenant reached a limit: once a minute for each, because a refused client retries. */
import type { LogLine } from '../gateway-options.ts'

export type QuotaLogger = (tenant: string, quota: string, why: string) => void

const EVERY_MS = 60_000
const MAX_LINES = 10_000

export function quotaLogger(log: (line: LogLine) => void, now: () => number): QuotaLogger {
  const logged = new Map<string, number>()
  return (tenant, quota, why) => {
    const key = JSON.stringify([tenant, quota])
    if (now() - (logged.get(key) ?? -Infinity) < EVERY_MS) return
    if (logged.size >= MAX_LINES) logged.clear()
    logged.set(key, now())
    log({ level: 'warn', message: `Tenant "${tenant}": ${why}`, reason: `quota-${kebab(quota)}`, tenant })
  }
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
