/** Searches conversations, and the messages, replies and calls in them. There is no index: the logs are read, newest first. */
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { ConversationRow, ConversationStatus } from '@holdpoint/core/internal/log/store'
import { personLabel } from '@holdpoint/core/internal/turn/people'
import type { Engine } from '../node/engine.ts'
import { CALL_STATES, logEntries, type CallState, type LogEntry } from '../scan/log-entries.ts'
import { readNewest, scanLogs, type ReadLog } from '../scan/scan-logs.ts'
import { checkFilter, oneOf, place, text, time, anyLimit, type Rule } from './check-request.ts'
import type { ListedConversation } from './runtime-options.ts'

export interface SearchFilter {
  /** A part of a message, a reply, the arguments or the result of a call, or a comment. Upper and lower case are the same. */
  readonly text?: string
  readonly agent?: string
  /** Only calls of this tool. */
  readonly tool?: string
  /** Only what this person wrote, asked for, or decided about. */
  readonly person?: string
  readonly status?: ConversationStatus
  /** `calls` and `holds`: only calls, and only those that a person or a program was asked about. Default: everything. */
  readonly in?: 'all' | 'messages' | 'calls' | 'holds'
  /** Only calls in this state. */
  readonly state?: CallState
  readonly since?: number
  readonly until?: number
  /** Only conversations that this person owns or takes part in. */
  readonly participant?: string
  /** The `next` of an earlier page. */
  readonly after?: string
  /** The most conversations of a page. Default: 20. */
  readonly limit?: number
}

export interface SearchOptions extends SearchFilter {
  /** Whether the caller may read the conversation. Default: all. */
  readonly mayRead?: (id: string) => Promise<boolean>
  /** Conversations that are searched first, in addition to those of the list. */
  readonly also?: readonly string[]
  /** `also`: only those are searched. Default: the list too. */
  readonly only?: 'also'
  /** Texts as the caller sees them. A secret that is removed from answers must not be found either. */
  readonly shown?: (text: string) => string
}

export interface FoundEntry extends Pick<LogEntry, 'kind' | 'seq' | 'at' | 'callId' | 'tool' | 'states'> {
  /** The text around what was found. */
  readonly text: string
  readonly people: readonly string[]
}

export interface FoundConversation extends ListedConversation {
  /** The newest five. None when the filter names nothing that is in a log. */
  readonly found: readonly FoundEntry[]
  /** How many there are. */
  readonly count: number
  /** Only the newest events of this conversation were searched. */
  readonly cut?: true
}

export interface SearchPage {
  readonly items: readonly FoundConversation[]
  /** How many conversations and events this page searched. */
  readonly searched: { readonly conversations: number; readonly events: number }
  /** Conversations with a damaged log, which were not searched. */
  readonly unreadable: number
  /** There may be more. A page may be empty and still have it: each page searches a limited part of the store. */
  readonly next: string | undefined
}

const SEARCH: Readonly<Record<keyof SearchFilter, Rule>> = {
  text,
  agent: text,
  tool: text,
  person: text,
  status: oneOf('running', 'held', 'idle'),
  in: oneOf('all', 'messages', 'calls', 'holds'),
  state: oneOf(...CALL_STATES),
  since: time,
  until: time,
  participant: text,
  after: place,
  limit: anyLimit,
}
const SHOWN = 5
/** Characters before and after what was found. */
const AROUND = 60

export async function search(engine: Engine, tenant: string, options: SearchOptions): Promise<SearchPage> {
  const { mayRead, also = [], only, shown = (all: string) => all, ...given } = options
  const filter = checkFilter<SearchFilter>({ limit: 20, ...given }, SEARCH)
  const { agent, status, participant, after, limit, since = 0, until = Infinity } = filter
  const items: FoundConversation[] = []
  const finds = finderOf(filter, shown)
  const visit = async (log: ReadLog): Promise<boolean> => {
    const found = finds(log)
    if (found) {
      const [listed] = await engine.firstMessages.with(tenant, [log.row])
      items.push({ ...(listed ?? log.row), ...found, ...(log.cut && { cut: true as const }) })
    }
    return items.length < limit
  }
  const first = after === undefined ? also : []
  const beside = await visitNamed(engine, tenant, first, { mayRead, visit, filter })
  if (only === 'also') return { items, searched: beside, unreadable: 0, next: undefined }
  const scanned = await scanLogs(engine.store, {
    query: {
      tenant,
      ...(agent !== undefined && { agent }),
      ...(status && { status }),
      ...(participant !== undefined && { labels: [personLabel(participant)] }),
      ...(after !== undefined && { after }),
    },
    wants: async ({ id, createdAt, updatedAt }) =>
      updatedAt >= since && createdAt <= until && !first.includes(id) && (!mayRead || (await mayRead(id))),
    visit,
  })
  const { conversations, events, unreadable, next } = scanned
  const searched = { conversations: conversations + beside.conversations, events: events + beside.events }
  return { items, searched, unreadable, next }
}

/** Conversations that a list by participant does not have: those with a hold that the caller decides. */
async function visitNamed(
  engine: Engine,
  tenant: string,
  ids: readonly string[],
  {
    mayRead,
    visit,
    filter: { agent, status, since = 0, until = Infinity },
  }: {
    readonly mayRead: SearchOptions['mayRead'] | undefined
    readonly visit: (log: ReadLog) => Promise<boolean>
    readonly filter: SearchFilter
  },
): Promise<{ readonly conversations: number; readonly events: number }> {
  let [conversations, events] = [0, 0]
  for (const id of ids) {
    const address = { tenant, id }
    const [seq = 0] = await engine.store.heads([address])
    if (seq === 0 || agentOfLog(id) !== undefined || (mayRead && !(await mayRead(id)))) continue
    const named: ConversationRow = { id, agent: '', status: 'held', seq, createdAt: 0, updatedAt: 0 }
    const log = await readNewest(engine.store, address, named)
    const started = log?.events.findLast((event) => event.type === 'turn.started')
    if (!log || started?.type !== 'turn.started') continue
    const [createdAt, updatedAt] = [log.events[0]?.at ?? 0, log.events.at(-1)?.at ?? 0]
    if ((agent ?? started.agent) !== started.agent || (status ?? 'held') !== 'held') continue
    if (updatedAt < since || createdAt > until) continue
    conversations++
    events += log.events.length
    await visit({ ...log, row: { ...named, agent: started.agent, createdAt, updatedAt } })
  }
  return { conversations, events }
}

type Found = Pick<FoundConversation, 'found' | 'count'>

/** Undefined when the conversation is not among the results. */
function finderOf(filter: SearchFilter, shown: (text: string) => string): (log: ReadLog) => Found | undefined {
  const { text: wanted = '', tool, person, state, since = 0, until = Infinity } = filter
  const where = filter.in ?? 'all'
  const needle = folded(wanted)
  const names = needle !== '' || [tool, person, state].some((each) => each !== undefined) || where !== 'all'
  const fits = (entry: LogEntry): boolean =>
    (where === 'all' || (where === 'messages' ? entry.kind !== 'call' : entry.kind === 'call')) &&
    (where !== 'holds' || entry.held === true) &&
    (tool === undefined || entry.tool === tool) &&
    (state === undefined || entry.states?.includes(state) === true) &&
    (person === undefined || entry.people.includes(person)) &&
    entry.at >= since &&
    entry.at <= until
  return ({ events }) => {
    if (!names) return events.some(({ at }) => at >= since && at <= until) ? { found: [], count: 0 } : undefined
    const found = logEntries(events).flatMap((entry): FoundEntry[] => {
      if (!fits(entry)) return []
      const around = excerpt(entry.texts, needle, shown)
      if (around === undefined) return []
      const { held: _held, texts: _texts, people, ...rest } = entry
      return [{ ...rest, people: [...new Set(people)], text: around }]
    })
    return found.length === 0 ? undefined : { found: found.slice(-SHOWN).toReversed(), count: found.length }
  }
}

/** The first text that has the needle, cut around it. Undefined when there is none. */
function excerpt(texts: readonly string[], needle: string, shown: (text: string) => string): string | undefined {
  for (const each of needle === '' ? texts.slice(0, 1) : texts) {
    if (needle !== '' && !folded(each).includes(needle)) continue
    const seen = shown(each)
    const at = folded(seen).indexOf(needle)
    if (at !== -1) return cut(seen, at, needle.length)
  }
  return needle === '' && texts.length === 0 ? '' : undefined
}

function folded(from: string): string {
  return from.normalize('NFC').toLowerCase()
}

/** Between characters, never inside one. */
function cut(from: string, at: number, length: number): string {
  const [start, end] = [Math.max(0, at - AROUND), Math.min(from.length, at + length + AROUND)]
  const piece = from.slice(start, end).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
  return `${start > 0 ? '…' : ''}${piece.replace(/\s+/g, ' ').trim()}${end < from.length ? '…' : ''}`
}
