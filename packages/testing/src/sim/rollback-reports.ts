/**
 * Checks that a process that had events which its store has lost reports it, once it has read its log again, and that it reports how
 * many events are gone.
 */
import type { HoldpointError, LogEvent } from '@holdpoint/core'
import type { Judge } from './violation.ts'

const REPORT = /has lost (at least |at most )?(\d+) acknowledged events? of "(.*)", which this process had at seq (\d+)/

export class RollbackReports {
  /** How many reports there were. */
  count = 0
  readonly #judge: Judge
  /** By log, what it was before each loss. */
  readonly #lost = new Map<string, (readonly LogEvent[])[]>()
  /** What the store has of a log now. */
  readonly #now: (id: string) => readonly LogEvent[]
  /** By process and log: the store does not have what it knows. */
  readonly #suspects = new Set<string>()
  readonly #told = new Set<string>()
  readonly #owed = new Set<string>()

  constructor(judge: Judge, now: (id: string) => readonly LogEvent[]) {
    this.#now = now
    this.#judge = judge
  }

  /** The log was this. */
  lost(id: string, before: readonly LogEvent[]): void {
    this.#lost.set(id, [...(this.#lost.get(id) ?? []), before])
  }

  /** The store told the process that it does not have the events that the process follows. */
  disowned(node: string, id: string): void {
    const key = `${node} ${id}`
    if (this.#lost.has(id) && !this.#told.has(key)) this.#suspects.add(key)
  }

  /** The process could not read on, so it still knows what it knew. */
  unheard(node: string, id: string): void {
    this.#suspects.delete(`${node} ${id}`)
  }

  /** The process has read the log from its start. */
  reloaded(node: string, id: string): void {
    if (this.#suspects.delete(`${node} ${id}`)) this.#owed.add(`${node} ${id}`)
  }

  /** The process reports a loss. */
  told(node: string, { message }: HoldpointError): void {
    const [, about = '', count, id = '', at] = REPORT.exec(message) ?? []
    const [said, known] = [Number(count), Number(at)]
    this.count++
    this.#told.add(`${node} ${id}`)
    this.#suspects.delete(`${node} ${id}`)
    this.#owed.delete(`${node} ${id}`)
    const really = (this.#lost.get(id) ?? []).map((before) => known - inCommon(before, this.#now(id)))
    const fits = really.some((lost) =>
      about === '' ? said === lost : about === 'at most ' ? said >= lost : said <= lost,
    )
    this.#judge.require(
      fits,
      'loss-told',
      () => `${node}: "${message}", but it was ${really.join(' or ') || 'nothing'}`,
    )
  }

  /** `lives`: whether the process still runs. */
  checkAtRest(lives: (node: string) => boolean): void {
    const owed = [...this.#owed].filter((key) => lives(key.slice(0, key.indexOf(' '))))
    this.#judge.require(owed.length === 0, 'loss-told', () => `never reported: ${owed.join(', ')}`)
  }
}

/** An append that is repeated after the loss may write the same events again. */
function inCommon(before: readonly LogEvent[], now: readonly LogEvent[]): number {
  const same = before.findIndex((event, index) => JSON.stringify(event) !== JSON.stringify(now[index]))
  return same === -1 ? before.length : same
}
