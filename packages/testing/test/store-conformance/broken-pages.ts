/** Wrong about what waits, what there is, and what is new: the questions across conversations. */
import type { Broken } from './broken-store.ts'

export const brokenPages: readonly Broken[] = [
  // pending
  {
    store: 'shows every tenant what waits',
    changes: [['there.address.tenant !== tenant ||', '']],
    caughtBy: [
      'pending: no tenant sees what another waits for',
      'pending: a page of one tenant leads to no row of another',
    ],
  },
  {
    store: 'shows what was closed',
    changes: [['hold.open && hold', 'hold']],
    caughtBy: ['pending: a hold that was closed is pending no more'],
  },
  {
    store: 'keeps a hold as it was first',
    changes: [
      ['there.holds.set(row.callId, row)', 'if (!there.holds.has(row.callId)) there.holds.set(row.callId, row)'],
    ],
    caughtBy: ['pending: a hold that was closed is pending no more'],
  },
  {
    store: 'keeps a row for every hold of a call',
    changes: [
      [
        'there.holds.set(row.callId, row)',
        'there.holds.set(there.holds.get(row.callId)?.heldAt < row.heldAt ? row.callId + row.heldAt : row.callId, row)',
      ],
    ],
    caughtBy: ['pending: a call that is held again is pending once, with its new hold'],
  },
  {
    store: 'forgets holds that a write is not about',
    changes: [['for (const row of rows.holds)', 'there.holds.clear()\n for (const row of rows.holds)']],
    caughtBy: ['pending: what waits longest comes first, across conversations'],
  },
  {
    store: 'filters by no conversation',
    changes: [['(conversationId ?? there.address.id) !== there.address.id ||', '']],
    caughtBy: [
      'pending: each filter leaves only what fits it',
      'crash: a write under way when its handle dies is there whole or not at all',
    ],
  },
  {
    store: 'filters by no call',
    changes: [['(callId ?? hold.callId) === hold.callId', 'true']],
    caughtBy: [
      'pending: each filter leaves only what fits it',
      'pending: a call is found by its id while it waits, in each conversation that has it',
    ],
  },
  {
    store: 'filters by no agent',
    changes: [['(agent ?? there.agent) !== there.agent\n', 'false\n']],
    caughtBy: ['pending: each filter leaves only what fits it'],
  },
  {
    store: 'filters by no tool',
    changes: [['(tool ?? hold.tool) === hold.tool', 'true']],
    caughtBy: ['pending: each filter leaves only what fits it'],
  },
  {
    store: 'filters by no kind',
    changes: [['(kind ?? hold.kind) === hold.kind', 'true']],
    caughtBy: ['pending: each filter leaves only what fits it'],
  },
  {
    store: 'filters by no expiry',
    changes: [['hold.expiresAt < expiresBefore', 'true']],
    caughtBy: ['pending: each filter leaves only what fits it'],
  },
  {
    store: 'takes before for until',
    changes: [['hold.expiresAt < expiresBefore', 'hold.expiresAt <= expiresBefore']],
    caughtBy: ['pending: each filter leaves only what fits it'],
  },
  {
    store: 'takes a filter for a pattern',
    changes: [['(tool ?? hold.tool) === hold.tool', `new RegExp((tool ?? '%').replaceAll('%', '.*')).test(hold.tool)`]],
    caughtBy: ['pending: filters together leave only what fits them all'],
  },
  {
    store: 'shows what waits conversation by conversation',
    changes: [['sort: [row.heldAt, there.nth, row.callId]', 'sort: [there.nth, row.heldAt, row.callId]']],
    caughtBy: ['pending: what waits longest comes first, across conversations'],
  },
  {
    store: 'pages by time alone',
    changes: [['sort: [row.heldAt, there.nth, row.callId]', `sort: [row.heldAt, 0, '']`]],
    caughtBy: ['pending: paging finds everything once, even holds of the same age'],
  },
  {
    store: 'pages by call alone',
    changes: [['sort: [row.heldAt, there.nth, row.callId]', 'sort: [row.heldAt, 0, row.callId]']],
    caughtBy: ['pending: paging finds everything once, even holds of the same age'],
  },
  {
    store: 'pages by position',
    changes: [
      ['sorted.filter(({ sort }) => compare(sort, from) > 0)', 'sorted.slice(from)'],
      ['JSON.stringify(last.sort)', 'JSON.stringify((from ?? 0) + limit)'],
    ],
    caughtBy: [
      'pending: paging is steady while new ones come and old ones close',
      'list: paging is steady while conversations are made and written to',
    ],
  },
  {
    store: 'announces a page that is empty',
    changes: [['rest.length > limit ? page', 'rest.length >= limit ? page']],
    caughtBy: ['pending: the last page says that it is the last'],
  },
  {
    store: 'gives one more than asked for',
    changes: [['rest.slice(0, limit)', 'rest.slice(0, limit + 1)']],
    caughtBy: ['pending: a filter holds on every page'],
  },
  {
    store: 'leaves the agent out',
    changes: [['conversationId: there.address.id, agent: there.agent', 'conversationId: there.address.id']],
    caughtBy: ['pending: an open hold is pending, with everything its row says'],
  },
  // list
  {
    store: 'lists the oldest first',
    changes: [['sort: [-there.nth', 'sort: [there.nth']],
    caughtBy: ['list: the newest conversation comes first, though an older one was written to since'],
  },
  {
    store: 'lists what was written to last first',
    changes: [['sort: [-there.nth, 0,', 'sort: [-updatedAt, -there.nth,']],
    caughtBy: ['list: the newest conversation comes first, though an older one was written to since'],
  },
  {
    store: 'lists by the time it was made alone',
    changes: [['sort: [-there.nth, 0,', 'sort: [-createdAt, 0,']],
    caughtBy: ['list: paging finds everything once, even what was made at the same moment'],
  },
  {
    store: 'lists every tenant',
    changes: [['address.tenant === tenant)', 'true)']],
    caughtBy: ['list: no tenant sees the conversations of another'],
  },
  {
    store: 'lists every agent',
    changes: [['(agent ?? there.agent) === there.agent && (status', '(status']],
    caughtBy: ['list: each filter leaves only what fits it', 'list: a filter holds on every page'],
  },
  {
    store: 'lists every status',
    changes: [[' && (status ?? there.status) === there.status', '']],
    caughtBy: ['list: each filter leaves only what fits it'],
  },
  {
    store: 'lists when it was made as when it was written to',
    changes: [['there.updatedAt = at', '']],
    caughtBy: ['list: the newest conversation comes first, though an older one was written to since'],
  },
  {
    store: 'walks through hidden conversations',
    changes: [['.filter((there) => !there.hidden)\n        .map', '.map']],
    caughtBy: ['list: a walk finds each conversation of all tenants once, without hidden ones'],
  },
  {
    store: 'walks by address alone',
    changes: [["sort: [there.nth, 0, ''] as const, item }\n", 'sort: [0, 0, address.id] as const, item }\n']],
    caughtBy: ['list: a walk finds each conversation of all tenants once, without hidden ones'],
  },
  // listen
  {
    store: 'notifies no subscriber',
    changes: [['for (const listener of listeners) listener(to, head, left)', '']],
    caughtBy: ['listen: what another handle writes is told, with its address and seq'],
  },
  {
    store: 'tells one alone',
    changes: [['listeners.add(changed)', 'listeners.clear()\n listeners.add(changed)']],
    caughtBy: ['listen: everybody who listens is told'],
  },
  {
    store: 'tells those who stopped listening',
    changes: [['() => listeners.delete(changed)', '() => undefined']],
    caughtBy: ['listen: who stopped listening is told nothing more'],
  },
  {
    store: 'tells before it wrote',
    changes: [['listener(to, head, left)', 'listener(to, head + 1, left)']],
    caughtBy: ['listen: what is told has been written, and can be read'],
  },
  {
    store: 'tells the id alone',
    changes: [['listener(to, head', 'listener({ ...to, tenant: "" }, head']],
    caughtBy: ['listen: what another handle writes is told, with its address and seq'],
  },
  {
    store: 'does not announce work without an owner',
    changes: [['listener(to, head, left)', 'listener(to, head)']],
    caughtBy: ['listen: work of a node without a valid lease is announced as work to look for'],
  },
  {
    store: 'announces all work as work without an owner',
    changes: [["rows.status === 'running' && !lives(there.owner)", "rows.status === 'running'"]],
    caughtBy: ['listen: work with an owner is not announced as work to look for'],
  },
]
