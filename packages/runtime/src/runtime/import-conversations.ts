/**
 * Imports an export. A wrong line must leave nothing behind, so the export is read twice: once to check every line, and once
 * to write. Each log is one append, so a process that dies leaves whole conversations, and a second import goes on: it skips
 * the conversations that are in the store already.
 */
import { NO_HASH } from '@holdpoint/core/internal/log/chain'
import { inOrder } from '@holdpoint/core/internal/log/conversation-line'
import type { LogEvent, NewEvent } from '@holdpoint/core/internal/log/log-event'
import { hasWork } from '@holdpoint/core/internal/log/machine'
import type { Address } from '@holdpoint/core/internal/log/store'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { Draft } from '../log/draft.ts'
import { Log } from '../log/log.ts'
import type { Engine } from '../node/engine.ts'
import { readExport, WrongLine, type AnyMachine, type ReadLog } from './read-export.ts'

export interface ImportOptions {
  /**
   * For conversations with work under way: a turn in progress, or notices that are not delivered. `refuse`: the import is
   * refused, because the original may still be at work, and the work would be done twice. `continue`: this runtime goes on
   * with it. Default: `refuse`. Held calls stay held.
   */
  readonly underWay?: 'refuse' | 'continue'
}

export type ImportResult =
  | {
      readonly ok: true
      readonly conversations: number
      readonly events: number
      /** How many of the conversations were in the store already. */
      readonly existing: number
    }
  /** `conversations`: how many were written before another process changed one of the others. 0 for a wrong line. */
  | { readonly ok: false; readonly line: number; readonly message: string; readonly conversations: number }

type Lines = () => Iterable<string> | AsyncIterable<string>

export async function importConversations(
  engine: Engine,
  tenant: string,
  open: Lines,
  { underWay = 'refuse' }: ImportOptions,
): Promise<ImportResult> {
  const { extension } = engine
  const machines = [conversationMachine as AnyMachine, ...(extension ? [extension.machine] : [])]
  let [conversations, events, existing] = [0, 0, 0]
  try {
    for await (const log of readExport(open(), machines)) {
      if (underWay === 'refuse' && hasWork(log.machine, log.state))
        throw new WrongLine(
          log.line,
          `conversation "${log.id}" has work under way, which another process may be doing.`,
        )
      await isThere(engine, { tenant, id: log.id }, log)
      await checkFiles(engine, tenant, log)
    }
    for await (const log of readExport(open(), machines)) {
      const address = { tenant, id: log.id }
      const isKnown = await isThere(engine, address, log)
      // Before the events that name them.
      for (const { file, bytes } of log.files)
        if (!(await engine.files.restore(address, file, bytes))) throw new WrongLine(log.line, takenFile(file.id))
      if (isKnown) existing++
      else await write(engine, address, log)
      for (const note of log.notes) await engine.store.note(address, note)
      conversations++
      events += log.events.length
    }
  } catch (error) {
    if (!(error instanceof WrongLine)) throw error
    return { ok: false, line: error.line, message: error.message, conversations }
  }
  return { ok: true, conversations, events, existing }
}

/** Whether the store has these events already. Throws when the id is taken by another log. */
async function isThere({ store }: Engine, address: Address, { line, events }: ReadLog): Promise<boolean> {
  let same = 0
  while (same < events.length) {
    const page: readonly LogEvent[] = await store.read(address, same, events.length - same)
    if (page.length === 0 && same === 0) return false
    const isSame = page.every((event, index) => {
      const own = events[same + index]
      return own !== undefined && JSON.stringify(inOrder(event)) === JSON.stringify(inOrder(own))
    })
    if (page.length === 0 || !isSame)
      throw new WrongLine(line, `"${address.id}" is taken: the store has another conversation or space with this id.`)
    same += page.length
  }
  return true
}

async function checkFiles({ files }: Engine, tenant: string, log: ReadLog): Promise<void> {
  if (log.files.length > 0 && !files.kept)
    throw new WrongLine(log.line, `conversation "${log.id}" has files, and the store of this runtime keeps none.`)
  for (const { file } of log.files) {
    const there = await files.find(tenant, file.id)
    if (there && there.sha256 !== file.sha256) throw new WrongLine(log.line, takenFile(file.id))
  }
}

function takenFile(id: string): string {
  return `the store has another file with the id "${id}".`
}

async function write(engine: Engine, address: Address, { id, line, machine, events }: ReadLog): Promise<void> {
  await engine.quotas.admitWrite(address)
  const log = new Log(machine, address, engine.store, engine.ports)
  await log.refresh()
  const last = events.at(-1)?.at ?? engine.ports.now()
  const draft = new Draft(machine, machine.empty, NO_HASH, last)
  draft.add(events.map((event) => asNew(event, last)))
  if (log.state.seq > 0 || (await log.write(draft)) !== 'ok')
    throw new WrongLine(line, `"${id}" was written by another process in the meantime. Import again.`)
  engine.heard(address, events.length, true)
}

/** An event of another log, with its own time. */
export function asNew({ seq: _seq, at, ...body }: LogEvent, timeOfAppend: number): NewEvent {
  return at === timeOfAppend ? body : { ...body, at }
}
