/**
 * What exactly a model was sent, and what came of it, kept beside the log for a while when an agent asks for it. It is
 * there to be looked at: nothing else reads it, and a record that cannot be kept does not stop a turn.
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
  /** Who replied, or was asked last. */
  readonly model: string
  /** As it was handed to the model, without HTTP headers and what else looks like a secret in settings of vendors. */
  readonly request: Pick<ModelRequest, 'prompt' | 'tools' | 'toolChoice' | 'output' | 'settings'>
  readonly shown: Shown
  /** Ids of calls whose results were left out: too old, or no room. */
  readonly leftOut: { readonly stale: readonly string[]; readonly squeezed: readonly string[] }
  /** Tokens, as they were reckoned. */
  readonly sizes: Sizes
  readonly attempts: readonly FailedAttempt[]
  /**
   * What the vendor said at each failure, in order. It may name an address, a part of a key or the prompt, so it is for
   * the operator: the log has a text without it.
   */
  readonly causes?: readonly string[]
  /** Milliseconds to the first piece of the reply, and to its end. */
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

/** `maxTokens` is none, `accessToken` is. */
const SECRET = /authorization|api[-_]?key|secret|password|credential|token$|headers|cookie/i

/** Keys whose names look like those of secrets are left out, at any depth. */
function withoutSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSecrets) as T
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !SECRET.test(key))
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutSecrets(each)])) as T
}

export function recordOf({ data }: Note): AuditRecord | undefined {
  return isObject(data) && typeof data['turnId'] === 'string' ? (data as Json as unknown as AuditRecord) : undefined
}
