/** A runtime in its own process, on the published build, that a test can pause, continue and kill. */
import type { LogEvent } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import { onTestFinished } from 'vitest'
import { startChild, type Child } from '../../crash/child.ts'
import { nap } from '../../crash/desk.ts'

type Door = 'submit' | 'approve' | 'answer' | 'pending' | 'events'

export interface Station {
  readonly child: Child
  /** When the process ran its first line, and when it had opened its runtime. */
  readonly begunAt: number
  readonly readyAt: number
  readonly problems: readonly string[]
  /** Calls a method of its runtime. Rejects with its error, or when the process dies. */
  ask<D extends Door>(door: D, ...args: Parameters<Runtime[D]>): Promise<Awaited<ReturnType<Runtime[D]>>>
  /** Lets waiting tools continue. */
  go(): void
  log(id: string): Promise<readonly LogEvent[]>
  /** The log, once the condition is true. It only reads, so it does not start work. */
  until(id: string, wanted: (events: readonly LogEvent[]) => boolean, ms?: number): Promise<readonly LogEvent[]>
}

interface Answer {
  readonly n?: number
  readonly answer?: unknown
  readonly error?: { readonly code: string; readonly message: string }
  readonly problem?: string
}

export interface StationOptions {
  readonly place: string
  readonly effects: string
  readonly env?: Readonly<Record<string, string>>
}

export async function openStation({ place, effects, env = {} }: StationOptions): Promise<Station> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const problems: string[] = []
  const child = startChild('station.ts', {
    args: [place, effects],
    env,
    hear: ({ n, answer, error, problem }: Answer) => {
      if (problem !== undefined) problems.push(problem)
      const asked = n === undefined ? undefined : waiting.get(n)
      if (error) asked?.reject(Object.assign(new Error(error.message), { code: error.code }))
      else asked?.resolve(answer)
    },
  })
  onTestFinished(() => child.kill())
  void child.died.then(() => waiting.forEach(({ reject }) => reject(new Error('The process died.'))))
  await child.line('begun')
  const begunAt = performance.now()
  await child.line('ready')
  const readyAt = performance.now()

  let asked = 0
  const ask = async (door: Door, ...args: readonly unknown[]): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>()
    answer.promise.catch(() => {}) // the caller receives the error
    waiting.set(++asked, answer)
    child.say({ n: asked, do: door, with: args })
    return answer.promise
  }
  const station: Station = {
    child,
    begunAt,
    readyAt,
    problems,
    ask: ask as Station['ask'],
    go: () => child.say({ go: true }),
    log: (id) => station.ask('events', id, 0, 1000),
    until: async (id, wanted, ms = 60_000) => {
      for (const end = performance.now() + ms; ;) {
        const events = await station.log(id)
        if (wanted(events)) return events
        if (performance.now() > end) throw new Error(`Not so within ${ms} ms: ${JSON.stringify(events, null, 1)}`)
        await nap(10)
      }
    },
  }
  return station
}

/** The events of the calls of a tool. */
export function callsTo(tool: string, events: readonly LogEvent[]): readonly LogEvent[] {
  const parts = events.flatMap((event) => (event.type === 'model.replied' ? event.reply.parts : []))
  const ids = new Set(parts.flatMap((part) => (part.type === 'call' && part.name === tool ? [part.callId] : [])))
  return events.filter((event) => 'callId' in event && ids.has(event.callId))
}

export function has(type: LogEvent['type'], tool: string): (events: readonly LogEvent[]) => boolean {
  return (events) => callsTo(tool, events).some((event) => event.type === type)
}

/** The turn has ended: the last reply has no calls. */
export function isOver(events: readonly LogEvent[]): boolean {
  const last = events.at(-1)
  return last?.type === 'model.replied' && last.reply.parts.every(({ type }) => type !== 'call')
}
