/** What a row of the contract says of its operation. */
import type { Scene } from './scene.ts'

interface Ask {
  readonly path: string
  readonly body?: unknown
}

export interface Row {
  valid(scene: Scene): Ask
  readonly status: number
  /** Undefined where nothing can be wrong. */
  invalid?(scene: Scene): Ask
  /** 422 unless said. */
  readonly invalidStatus?: number
  /** What another tenant is told who asks the same: 404, or `own` where everybody has their own. */
  readonly other: 404 | 409 | 'own'
  /** The same key with this is another request. */
  another?(scene: Scene): Ask
}

export const at = (...segments: readonly string[]): string => ['/api', ...segments.map(encodeURIComponent)].join('/')
