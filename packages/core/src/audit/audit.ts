/**
 * Records each exact request to a model, and its result, beside the log for a limited time, if an agent has the setting `audit`.
 * The records are for people: no decision reads them, and a record that cannot be stored does not stop a turn.
 */
import type { Duration } from '../duration.ts'
import { milliseconds } from '../duration.ts'
import { isObject, toJson, type Json } from '../json.ts'
import type { FailedAttempt, Shown } from '../log/log-event.ts'
import type { Note } from '../log/store.ts'
import type { Assembled, Sizes } from '../context/assemble.ts'
import type { ModelRequest, ToolSpec } from '../model/model.ts'
import type { Finish, Usage } from '../model/reply.ts'
import type { OpenTurn } from '../turn/turn-state.ts'

export interface AuditOptions {
  /** How long a record is kept. Default: 30 days. */
  readonly keep?: Duration
}

export interface AuditRecord {
  readonly turnId: string
  readonly step: number
  readonly at: number
  /** The model that replied, or the last one that was asked. */
  readonly model: string
  /** The request to the model, without HTTP headers and without settings of vendors that look like secrets. */
  readonly request: Pick<ModelRequest, 'prompt' | 'tools' | 'toolChoice' | 'output' | 'settings'>
  readonly shown: Shown
  /** The ids of calls whose results were left out: too old (`stale`), or no room (`squeezed`). */
  readonly leftOut: { readonly stale: readonly string[]; readonly squeezed: readonly string[] }
  /** Estimates, in tokens. */
  readonly sizes: Sizes
  readonly attempts: readonly FailedAttempt[]
  /**
   * The vendor's message for each failure, in order. It may contain an address, a part of a key or the prompt, so it is only for
   * the operator. The log has a text without it.
   */
  readonly causes?: readonly string[]
  /** Milliseconds until the first part of the reply, and until its end. */
  readonly firstMs?: number
  readonly ms: number
  readonly usage?: Usage
  readonly finish?: Finish
  readonly failure?: string
}

export const AUDIT = 'audit'

const KEEP = '30 days'

export function auditFor(given: boolean | AuditOptions | undefined): { readonly keepMs: number } | undefined {
  if (given === undefined || given === false) return undefined
  return { keepMs: milliseconds((given === true ? undefined : given.keep) ?? KEEP) }
}

export type AuditedOutcome = Pick<
  AuditRecord,
  'model' | 'attempts' | 'causes' | 'firstMs' | 'ms' | 'usage' | 'finish' | 'failure'
>

export function auditNote(
  turn: OpenTurn,
  seq: number,
  at: number,
  keepMs: number,
  request: ModelRequest,
  { fit, sizes }: Assembled,
  outcome: AuditedOutcome,
): Note {
  const { prompt, tools, toolChoice, output, settings } = request
  const { headers: _headers, provider, ...safe } = settings
  const record: AuditRecord = {
    turnId: turn.turnId,
    step: turn.step,
    at,
    request: {
      prompt,
      tools: tools.map(toolWithoutSecrets),
      ...(toolChoice && { toolChoice }),
      ...(output && { output }),
      settings: { ...safe, ...(provider && { provider: withoutSecrets(provider) }) },
    },
    shown: fit.shown,
    leftOut: {
      stale: fit.passages.flatMap(({ stale }) => [...stale]),
      squeezed: fit.passages.flatMap(({ squeezed }) => [...squeezed]),
    },
    sizes: sizes(),
    ...outcome,
  }
  const data = toJson(record)
  return { kind: AUDIT, seq, at, until: at + keepMs, data: data.ok ? data.value : { unstorable: data.why } }
}

function toolWithoutSecrets(spec: ToolSpec): ToolSpec {
  return spec.kind === 'provider' ? { ...spec, args: withoutSecrets(spec.args) } : spec
}

/** `accessToken` is a secret, `maxTokens` is not. */
const SECRET = /authorization|api[-_]?key|secret|password|credential|token$|headers|cookie/i

/** Leaves out keys whose names look like secrets, at any depth. */
function withoutSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSecrets) as T
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !SECRET.test(key))
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutSecrets(each)])) as T
}

export function recordOf({ data }: Note): AuditRecord | undefined {
  return isObject(data) && typeof data['turnId'] === 'string' ? (data as Json as unknown as AuditRecord) : undefined
}
