/** A command as its function gets it. */
import type { Io } from './io.ts'
import type { Output } from './output.ts'

export interface Options {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly store?: string | undefined
  readonly app?: string | undefined
  readonly tenant?: string | undefined
  readonly by?: string | undefined
  readonly json?: boolean | undefined
  readonly help?: boolean | undefined
  readonly version?: boolean | undefined
  readonly mine?: boolean | undefined
  readonly agent?: string | undefined
  readonly tool?: string | undefined
  readonly status?: string | undefined
  readonly limit?: string | undefined
  readonly hold?: string | undefined
  readonly input?: string | undefined
  readonly reason?: string | undefined
  readonly value?: string | undefined
  readonly wait?: string | undefined
  readonly scope?: string[] | undefined
  readonly file?: string[] | undefined
  readonly 'acts-for'?: string[] | undefined
  readonly port?: string | undefined
  readonly after?: string | undefined
  readonly hashes?: boolean | undefined
  readonly from?: string | undefined
  readonly off?: string[] | undefined
  readonly on?: string[] | undefined
  readonly quiet?: string | undefined
  readonly digest?: string | undefined
  readonly zone?: string | undefined
  readonly fence?: boolean | undefined
}

export interface Command {
  readonly args: readonly string[]
  readonly options: Options
  readonly io: Io
  readonly out: Output
}
