/** Dying at every moment: what the log held after each append of a run, and how a new process goes on from there. */
import { memoryStore } from '@holdpoint/testing'
import type { Script } from '@holdpoint/testing'
import type { Append, Appended } from '@holdpoint/core'
import { Session, type Agent, type LogEvent, type Store } from 'holdpoint'

export type Prefix = { readonly version: 1; readonly id: string; readonly events: readonly LogEvent[] }

/** A store that remembers what it held after each append; that is what is left when the process dies there. */
export function recordingStore(): { readonly store: Store; readonly prefixes: Prefix[] } {
  const inner = memoryStore({ now: () => 0 })
  const prefixes: Prefix[] = []
  return {
    prefixes,
    store: {
      ...inner,
      append: async (write) => {
        const written = await inner.append(write)
        const { to } = write
        if (written.result === 'ok')
          prefixes.push(
            JSON.parse(JSON.stringify({ version: 1, id: to.id, events: await inner.read(to, 0) })) as Prefix,
          )
        return written
      },
    },
  }
}

/** The fate of a write. It can have been written although its answer was lost. */
export type Trouble = 'fine' | 'failed' | 'unknown' | 'unknown, but written' | 'thrown' | 'thrown, but written'

/** A failing store: it takes the fate of each write in order; after the last one every write succeeds. */
export function troubledStore(
  troubles: Iterable<Trouble>,
  inner: Store = memoryStore({ now: () => 0 }),
): { readonly store: Store; readonly asked: Append[] } {
  const asked: Append[] = []
  const left = troubles[Symbol.iterator]()
  const append = async (write: Append): Promise<Appended> => {
    asked.push(write)
    const trouble: Trouble = left.next().value ?? 'fine'
    if (trouble === 'failed') return { result: 'failed', why: 'the disk is full' }
    const written = trouble.endsWith('written') || trouble === 'fine' ? await inner.append(write) : undefined
    if (written && trouble === 'fine') return written
    if (trouble.startsWith('thrown')) throw new Error('connection lost')
    return { result: 'unknown', why: 'connection lost' }
  }
  return { store: { ...inner, append }, asked }
}

/** A model whose reply depends on how much it was told already, and on nothing it remembers. */
export function byProgress(replies: readonly Script[]): readonly Script[] {
  return Array.from(
    { length: 50 },
    () =>
      ({ prompt }) =>
        replies[prompt.filter(({ role }) => role === 'assistant').length] ?? 'The end.',
  )
}

/** Goes on until rest, answering whatever is held in the one way given. */
export async function finish(
  session: Session,
  answer: (session: Session, hold: Session['holds'][number]) => Promise<unknown>,
): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds++) {
    const { status, holds } = await session.continue()
    if (status !== 'held') return
    for (const hold of holds) await answer(session, hold)
  }
  throw new Error('The conversation never came to rest.')
}

export function reopen(agent: Agent, prefix: Prefix): Promise<Session> {
  return Session.open(agent, { data: structuredClone(prefix) })
}

/** The ids of the calls that have an outcome in these events. */
export function settledIn({ events }: { readonly events: readonly LogEvent[] }): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.type === 'call.settled' ? [event.callId] : [])))
}
