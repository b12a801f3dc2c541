/** Something beside the runtime that each node of a simulated world runs: for example, the channels of `sim/channels`. */
import type { Ports, Store } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import type { SimNode } from './node.ts'

export interface SimExtension {
  /** A node has opened its runtime. */
  opened(node: SimNode, runtime: Runtime, store: Store, ports: Ports): void
  /** A node closes normally. */
  closing(node: SimNode): Promise<void>
  /** Whether everything is as it should be in the end. Undefined: yes; otherwise what is not. */
  missing(): string | undefined
}
