/**
 * The connection of a lane, and what the errors of a call mean for each of its appends.
 *
 * - A call fails as a whole. If one append may be the reason, the others are sent again without it.
 * - A row that another transaction keeps locked fails its own append soon: the others of the process wait behind it.
 * - "It was written before" is only said when it also holds on the synchronous standby. The first answer may have been lost
 *   because the server gave up waiting for the standby, and a commit that writes nothing waits for none.
 */
import type { Appended } from '@holdpoint/core'
import { answersIn, callOf, type AppendResult, type CallResult, type Op } from './append-call.ts'
import { confirmCommits } from './confirm-commits.ts'
import type { Acquired, Connections } from './connections.ts'
import { lockedAmong } from './locked-among.ts'
import {
  isConnectionError,
  isLockTimeout,
  isOutOfResources,
  isSerializationFailure,
  mayBeWritten,
  pgErrorMessage,
} from './pg-error.ts'
import type { Settings } from './settings.ts'
import { named, UnconfirmedCommit } from './transaction.ts'

export interface Waiting {
  readonly conversation: string
  readonly op: Op
  readonly answer: (appended: Appended) => void
}

export interface Answered {
  readonly waiting: Waiting
  readonly result: AppendResult | Extract<Appended, { readonly result: 'failed' | 'unknown' }>
}

type Outcome =
  /** `doubt`: why the standby may not have what was written earlier. */
  | { readonly answers: readonly AppendResult[]; readonly doubt?: unknown }
  | { readonly result: 'failed' | 'unknown'; readonly error: unknown; readonly sent: boolean }

export interface LaneConnection {
  call(batch: readonly Waiting[]): Promise<Outcome>
  /** The appends whose conversation is locked now. `doubtful`: looks only at those that were locked before. */
  locked(batch: readonly Waiting[], which: 'all' | 'doubtful'): Promise<ReadonlySet<Waiting>>
  close(): void
}

/** Never throws: every append of the batch gets an answer. */
export async function callWith(connection: LaneConnection, batch: readonly Waiting[]): Promise<readonly Answered[]> {
  const locked = await connection.locked(batch, 'doubtful')
  if (locked.size > 0) return withoutLocked(connection, batch, locked)
  const outcome = await connection.call(batch)
  return 'answers' in outcome ? answeredBy(batch, outcome) : failedAs(connection, batch, outcome)
}

async function failedAs(
  connection: LaneConnection,
  batch: readonly Waiting[],
  { result, error, sent }: Exclude<Outcome, { readonly answers: unknown }>,
): Promise<readonly Answered[]> {
  // Another process wrote to one of the conversations during the call, which was rolled back.
  if (result === 'failed' && isSerializationFailure(error)) return callWith(connection, batch)
  if (result === 'failed' && isLockTimeout(error)) {
    const locked = await connection.locked(batch, 'all')
    if (locked.size > 0) return withoutLocked(connection, batch, locked)
  }
  if (result === 'failed' && batch.length > 1 && sent && !isOutOfResources(error) && !isConnectionError(error)) {
    // One append failed the call, which was rolled back. Retrying each alone shows which one.
    const answered: Answered[] = []
    for (const waiting of batch) answered.push(...(await callWith(connection, [waiting])))
    return answered
  }
  return batch.map((waiting) => ({ waiting, result: { result, why: pgErrorMessage(error) } }))
}

async function withoutLocked(
  connection: LaneConnection,
  batch: readonly Waiting[],
  locked: ReadonlySet<Waiting>,
): Promise<readonly Answered[]> {
  const why = 'PostgreSQL: another transaction keeps the conversation locked.'
  const refused = [...locked].map((waiting): Answered => ({ waiting, result: { result: 'failed', why } }))
  const free = batch.filter((waiting) => !locked.has(waiting))
  return free.length === 0 ? refused : [...refused, ...(await callWith(connection, free))]
}

function answeredBy(
  batch: readonly Waiting[],
  { answers, doubt }: Extract<Outcome, { readonly answers: unknown }>,
): readonly Answered[] {
  return answers.map((result) => ({
    waiting: batch[result.nth - 1]!,
    result:
      doubt !== undefined && isEarlier(result) ? { result: 'unknown' as const, why: pgErrorMessage(doubt) } : result,
  }))
}

function isEarlier({ result }: AppendResult): boolean {
  return result === 'again' || result === 'repeated'
}

/**
 * A connection that is held while there is something to send, and replaced if it breaks. The timeout of a call includes
 * the timeouts of the calls before it.
 */
export function openLaneConnection(settings: Settings, { writer }: Connections): LaneConnection {
  let connecting: Promise<Acquired> | undefined
  let sent = 0
  /** The conversations that were locked when they were last looked at. */
  const doubtful = new Set<string>()

  /** Rejects with `NotSent` if there is no connection. */
  const using = async <T>(work: (client: Acquired, timeoutMs: number) => Promise<T>): Promise<T> => {
    const connection = (connecting ??= writer())
    let client: Acquired
    try {
      client = await connection
    } catch (error) {
      if (connecting === connection) connecting = undefined
      throw new NotSent(error)
    }
    const { unconfirmed } = client
    sent++
    try {
      const done = await work(client, settings.timeoutMs * sent)
      // Perhaps the warning is about the call before this one. Then this one is repeated for nothing.
      if (client.unconfirmed !== unconfirmed) throw new UnconfirmedCommit()
      return done
    } catch (error) {
      // Two calls may both find the same connection broken.
      if (isConnectionError(error) && connecting === connection) {
        connecting = undefined
        client.release(true)
      }
      throw error
    } finally {
      sent--
    }
  }
  return {
    call: async (batch) => {
      try {
        const query = callOf(
          settings,
          batch.map(({ op }) => op),
        )
        return await using(async (client, timeout) => {
          const timed = { ...named(client, query), query_timeout: timeout }
          const answers = (await client.query<CallResult>(timed)).rows.flatMap(answersIn)
          if (!answers.some(isEarlier)) return { answers }
          // On the same connection: after a fail-over, another one would lead to a server that may never have had it.
          const doubt = await confirmCommits(client, settings, timeout).catch((error: unknown) => error)
          return { answers, doubt }
        })
      } catch (error) {
        if (error instanceof NotSent) return { result: 'failed', error: error.cause, sent: false }
        return { result: mayBeWritten(error) ? 'unknown' : 'failed', error, sent: true }
      }
    },
    locked: async (batch, which) => {
      const asked = which === 'all' ? batch : batch.filter(({ conversation }) => doubtful.has(conversation))
      if (asked.length === 0) return NONE
      try {
        const ops = asked.map(({ op }) => op)
        const nths = await using((client, timeout) => lockedAmong(client, settings, ops, timeout))
        const locked = new Set(nths.map((nth) => asked[nth - 1]!))
        for (const { conversation } of asked) doubtful.delete(conversation)
        for (const { conversation } of locked) doubtful.add(conversation)
        return locked
      } catch {
        // The next call meets the reason, and reports it.
        return NONE
      }
    },
    close: () => {
      void connecting?.then((client) => client.release())
      connecting = undefined
    },
  }
}

const NONE: ReadonlySet<Waiting> = new Set()

class NotSent extends Error {
  constructor(cause: unknown) {
    super('not sent', { cause })
  }
}
