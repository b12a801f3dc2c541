/** Reads the settings of telemetry from the environment. */
import { HoldpointError } from '@holdpoint/core'
import type { TelemetrySetting } from './gateway-telemetry.ts'

type Env = Readonly<Record<string, string | undefined>>

export const TELEMETRY_SETTING_NAMES = ['HOLDPOINT_METRICS', 'HOLDPOINT_TRACE_CONTENT'] as const

/** Undefined: no telemetry. The endpoint of spans has the name that every OpenTelemetry SDK reads. */
export function telemetryFromEnv(env: Env): TelemetrySetting | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact, OTEL_EXPORTER_OTLP_ENDPOINT: base } = env
  const spans = exact ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/traces`)
  const metrics = metricsOf(env['HOLDPOINT_METRICS'])
  const content = env['HOLDPOINT_TRACE_CONTENT'] ?? 'off'
  if (content !== 'on' && content !== 'off')
    throw new HoldpointError('config-invalid', `HOLDPOINT_TRACE_CONTENT must be "on" or "off", not "${content}".`)
  if (spans !== undefined && !URL.canParse(spans))
    throw new HoldpointError('config-invalid', `The OTLP endpoint "${spans}" is not a URL.`)
  if (spans === undefined && !metrics) return undefined
  return { ...(spans !== undefined && { spans }), ...(metrics && { metrics }), content: content === 'on' }
}

function metricsOf(given: string | undefined): TelemetrySetting['metrics'] {
  if (given === undefined || given === '') return undefined
  const [, host = '127.0.0.1', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(given) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535)
    throw new HoldpointError('config-invalid', `HOLDPOINT_METRICS must be a port, or host:port, not "${given}".`)
  return { host, port }
}
