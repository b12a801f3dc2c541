/** The messages between a benchmark and the processes of the sides. */
import type { AgentShape } from './free-agent.ts'
import type { RawStyle } from './raw.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** One side: our runtime, or a baseline. */
export type Player =
  | { readonly side: 'ours'; readonly agent: AgentShape }
  | {
      readonly side: 'raw'
      readonly store: StoreKind
      readonly calls: number
      /** For PostgreSQL: one connection per conversation in flight. */
      readonly connections: number
      readonly style: RawStyle
      /** How many held conversations an earlier process left at the place. */
      readonly held: number
    }

export type Request =
  /** Opens the file or database. Returns the time. */
  | { readonly do: 'open'; readonly place: string; readonly player: Player }
  | { readonly do: 'turns'; readonly conversation: string; readonly count: number }
  | { readonly do: 'fresh'; readonly from: number; readonly count: number }
  | { readonly do: 'crowd'; readonly from: number; readonly conversations: number; readonly turns: number }
  | { readonly do: 'hold'; readonly from: number; readonly count: number; readonly inFlight: number }
  | { readonly do: 'find' }
  | { readonly do: 'resolve'; readonly count: number; readonly inFlight: number }
  | { readonly do: 'pending'; readonly times: number }
  /** After a garbage collection: bytes of the heap and of external memory, and of the whole process. */
  | { readonly do: 'memory' }
  | { readonly do: 'close' }

export type Answer = { readonly numbers: readonly number[] } | { readonly error: string }
