/** The status of a server for people: in the console, over HTTP and in code. */
import type { Difference } from './tool-definition.ts'
import { LIMITS } from './limits.ts'
import type { Pin } from './pins.ts'

export interface McpServerStatus {
  readonly name: string
  /** Its origin, or the name of its command. Paths, queries and arguments may contain credentials, so they are left out. */
  readonly at: string
  readonly transport: 'http' | 'stdio'
  /** `new`: not used yet. `away`: the last connection or listing failed. */
  readonly health: 'new' | 'ready' | 'away'
  readonly era?: 'modern' | 'legacy'
  readonly version?: string
  readonly lastError?: string
  readonly tools: readonly McpToolStatus[]
  /** The server's tools that are not offered, and why. A long list is cut. */
  readonly refused: readonly Refused[]
}

export interface McpToolStatus {
  /** The name that the model uses. */
  readonly name: string
  readonly tool: string
  readonly description: string
  readonly fingerprint: string
  /** The server added it after its first listing. `changed` contains its whole definition. */
  readonly isNew?: true
  /** The current definition, if it differs from the accepted one. Calls are held until it is accepted. */
  readonly changed?: { readonly fingerprint: string; readonly changes: readonly Difference[] }
}

export interface Refused {
  readonly name: string
  readonly why: string
}

export function toolStatus(server: string, pin: Pin): McpToolStatus {
  const { definition, fingerprint, changed, changes, isNew } = pin
  const { name, description } = definition
  return {
    name: `${server}.${name}`,
    tool: name,
    description,
    fingerprint,
    ...(isNew && { isNew }),
    ...((changed || isNew) && { changed: { fingerprint: (changed ?? pin).fingerprint, changes } }),
  }
}

export function limitRefused(refused: readonly Refused[]): readonly Refused[] {
  const { refusedShown } = LIMITS
  if (refused.length <= refusedShown) return refused
  return [...refused.slice(0, refusedShown), { name: '…', why: `and ${refused.length - refusedShown} more` }]
}
