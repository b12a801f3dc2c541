/** The queries of the memory store over all conversations. */
import { HoldpointError } from '../failure.ts'
import { parseJson, type Json } from '../json.ts'
import { headOf, type Conversation } from './memory-conversation.ts'
import type { Page, Store } from './store.ts'

export function memoryPages(all: () => readonly Conversation[]): Pick<Store, 'pending' | 'list' | 'usage' | 'walk'> {
  return {
    pending: async (query) => {
      const { tenant, conversationId, callId, agent, tool, kind, expiresBefore = Infinity, any } = query
      const found = all().flatMap((there) =>
        there.address.tenant !== tenant ||
        there.hidden ||
        (conversationId ?? there.address.id) !== there.address.id ||
        (agent ?? there.agent) !== there.agent
          ? []
          : Array.from(there.holds.values(), (hold) => ({ there, hold })),
      )
      const open = found
        .filter(({ hold }) => hold.open && hold.expiresAt < expiresBefore)
        .filter(({ hold }) => (tool ?? hold.tool) === hold.tool && (kind ?? hold.kind) === hold.kind)
        .filter(({ hold }) => (callId ?? hold.callId) === hold.callId)
        .filter(
          ({ there, hold }) =>
            !any || haveCommon(hold.labels ?? [], any.labels) || haveCommon(there.labels, any.conversationLabels),
        )
        .map(({ there, hold: { open: _open, seqs: _seqs, labels: _labels, ...row } }) => ({
          sort: [row.heldAt, there.nth, row.callId] as const,
          item: { ...row, conversationId: there.address.id, agent: there.agent },
        }))
      return pageOf(open, query)
    },
    list: async (query) => {
      const { tenant, agent, status, labels } = query
      const found = all()
        .filter(({ address, hidden }) => address.tenant === tenant && !hidden)
        .filter((there) => !labels || haveCommon(there.labels, labels))
        .filter((there) => (agent ?? there.agent) === there.agent && (status ?? there.status) === there.status)
        .map((there) => {
          const { address, createdAt, updatedAt } = there
          const item = { id: address.id, agent: there.agent, status: there.status, seq: headOf(there) }
          return { sort: [-there.nth, 0, ''] as const, item: { ...item, createdAt, updatedAt } }
        })
      return pageOf(found, query)
    },
    walk: async (query) => {
      const found = all()
        .filter(({ hidden }) => !hidden)
        .map((there) => {
          const { address, agent, status, createdAt, updatedAt } = there
          const item = { ...address, agent, status, seq: headOf(there), createdAt, updatedAt }
          return { sort: [there.nth, 0, ''] as const, item }
        })
      return pageOf(found, query)
    },
    usage: async (tenant) => {
      const own = all().filter(({ address }) => address.tenant === tenant)
      return {
        conversations: own.filter(({ hidden }) => !hidden).length,
        bytes: own.reduce((sum, { events }) => sum + JSON.stringify(events).length, 0),
      }
    },
  }
}

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((label) => others.includes(label))
}

type Sort = readonly [number, number, string]

function pageOf<T>(
  found: readonly { readonly sort: Sort; readonly item: T }[],
  { after, limit }: { readonly after?: string; readonly limit: number },
): Page<T> {
  const sorted = found.toSorted((a, b) => compare(a.sort, b.sort))
  const from = after === undefined ? undefined : placeOf(after)
  const rest = from ? sorted.filter(({ sort }) => compare(sort, from) > 0) : sorted
  const page = rest.slice(0, limit)
  const last = rest.length > limit ? page.at(-1) : undefined
  return { items: page.map(({ item }) => item), next: last && JSON.stringify(last.sort) }
}

function placeOf(after: string): Sort {
  const read = parseJson(after)
  if (read.ok && Array.isArray(read.value)) {
    const [first, second, third] = read.value as readonly Json[]
    if (typeof first === 'number' && typeof second === 'number' && typeof third === 'string')
      return [first, second, third]
  }
  throw new HoldpointError(
    'config-invalid',
    `"${after}" is not the end of a page. Pass the \`next\` of a page as \`after\`.`,
  )
}

function compare(a: Sort, b: Sort): number {
  return a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : Number(a[2] > b[2]))
}
