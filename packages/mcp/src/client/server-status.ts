/** How a server is, for people: on the console, over HTTP, in code. */
import type { Difference } from './definition.ts'
import { LIMITS } from './limits.ts'
import type { Pin } from './pins.ts'

export interface McpServerStatus {
  readonly name: string
  /** Its address, or the command that it is started with. */
  readonly at: string
  readonly transport: 'http' | 'stdio'
  /** `new`: nobody has needed it yet. */
  readonly health: 'new' | 'ready' | 'away'
  readonly era?: 'modern' | 'legacy'
  readonly version?: string
  readonly lastError?: string
  readonly tools: readonly McpToolStatus[]
  /** Tools of the server that are not offered, and why; of very many, the first ones. */
  readonly refused: readonly Refused[]
}

export interface McpToolStatus {
  /** As the model knows it. */
  readonly name: string
  readonly tool: string
  readonly description: string
  readonly fingerprint: string
  /** What the server says of it now, when that is not what was allowed: calls are held until it is accepted. */
  readonly changed?: { readonly fingerprint: string; readonly changes: readonly Difference[] }
}

export interface Refused {
  readonly name: string
  readonly why: string
}

export function toolStatus(server: string, pin: Pin): McpToolStatus {
  const { definition, fingerprint, changed, changes } = pin
  const { name, description } = definition
  return {
    name: `${server}.${name}`,
    tool: name,
    description,
    fingerprint,
    ...(changed && { changed: { fingerprint: changed.fingerprint, changes } }),
  }
}

export function few(refused: readonly Refused[]): readonly Refused[] {
  const { refusedShown } = LIMITS
  if (refused.length <= refusedShown) return refused
  return [...refused.slice(0, refusedShown), { name: '…', why: `nor are ${refused.length - refusedShown} more` }]
}
