/** Wrong about what waits, what there is, and what is new: the questions across conversations. */
import type { Broken } from './broken-store.ts'

export const brokenPages: readonly Broken[] = [
  // pending
  {
    store: 'shows every tenant what waits',
    changes: [['there.address.tenant !== tenant ||', '']],
    caughtBy: [
      'pending: a tenant does not see the holds of another',
      'pending: a cursor of one tenant returns no row of another',
    ],
  },
  {
    store: 'shows what was closed',
    changes: [['hold.open && hold', 'hold']],
    caughtBy: ['pending: a closed hold is not pending'],
  },
  {
    store: 'keeps a hold as it was first',
    changes: [
      ['there.holds.set(row.callId, row)', 'if (!there.holds.has(row.callId)) there.holds.set(row.callId, row)'],
    ],
    caughtBy: ['pending: a closed hold is not pending'],
  },
  {
    store: 'keeps a row for every hold of a call',
    changes: [
      [
        'there.holds.set(row.callId, row)',
        'there.holds.set(there.holds.get(row.callId)?.heldAt < row.heldAt ? row.callId + row.heldAt : row.callId, row)',
      ],
    ],
    caughtBy: ['pending: a call that is held again is pending once, with its newest hold'],
  },
  {
    store: 'forgets holds that a write is not about',
    changes: [['for (const row of rows.holds)', 'there.holds.clear()\n for (const row of rows.holds)']],
    caughtBy: ['pending: the oldest hold comes first, across conversations'],
  },
  {
    store: 'filters by no conversation',
    changes: [['(conversationId ?? there.address.id) !== there.address.id ||', '']],
    caughtBy: [
      'pending: each filter selects only matching rows',
      'crash: a write in flight when its handle dies is stored completely or not at all',
    ],
  },
  {
    store: 'filters by no call',
    changes: [['(callId ?? hold.callId) === hold.callId', 'true']],
    caughtBy: [
      'pending: each filter selects only matching rows',
      'pending: a held call is found by its id, in each conversation that has it',
    ],
  },
  {
    store: 'filters by no agent',
    changes: [['(agent ?? there.agent) !== there.agent\n', 'false\n']],
    caughtBy: ['pending: each filter selects only matching rows'],
  },
  {
    store: 'filters by no tool',
    changes: [['(tool ?? hold.tool) === hold.tool', 'true']],
    caughtBy: ['pending: each filter selects only matching rows'],
  },
  {
    store: 'filters by no kind',
    changes: [['(kind ?? hold.kind) === hold.kind', 'true']],
    caughtBy: ['pending: each filter selects only matching rows'],
  },
  {
    store: 'filters by no expiry',
    changes: [['hold.expiresAt < expiresBefore', 'true']],
    caughtBy: ['pending: each filter selects only matching rows'],
  },
  {
    store: 'takes before for until',
    changes: [['hold.expiresAt < expiresBefore', 'hold.expiresAt <= expiresBefore']],
    caughtBy: ['pending: each filter selects only matching rows'],
  },
  {
    store: 'takes a filter for a pattern',
    changes: [['(tool ?? hold.tool) === hold.tool', `new RegExp((tool ?? '%').replaceAll('%', '.*')).test(hold.tool)`]],
    caughtBy: ['pending: several filters select only rows that match all of them'],
  },
  {
    store: 'shows what waits conversation by conversation',
    changes: [['sort: [row.heldAt, there.nth, row.callId]', 'sort: [there.nth, row.heldAt, row.callId]']],
    caughtBy: ['pending: the oldest hold comes first, across conversations'],
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
      'pending: paging is stable while holds are opened and closed',
      'list: paging is stable while conversations are created and change',
    ],
  },
  {
    store: 'announces a page that is empty',
    changes: [['rest.length > limit ? page', 'rest.length >= limit ? page']],
    caughtBy: ['pending: the last page has no next page'],
  },
  {
    store: 'gives one more than asked for',
    changes: [['rest.slice(0, limit)', 'rest.slice(0, limit + 1)']],
    caughtBy: ['pending: a filter applies to every page'],
  },
  {
    store: 'leaves the agent out',
    changes: [['conversationId: there.address.id, agent: there.agent', 'conversationId: there.address.id']],
    caughtBy: ['pending: an open hold is pending, with all fields of its row'],
  },
  // list
  {
    store: 'lists the oldest first',
    changes: [['sort: [-there.nth', 'sort: [there.nth']],
    caughtBy: ['list: the newest conversation comes first, even if an older one has newer events'],
  },
  {
    store: 'lists what was written to last first',
    changes: [['sort: [-there.nth, 0,', 'sort: [-updatedAt, -there.nth,']],
    caughtBy: ['list: the newest conversation comes first, even if an older one has newer events'],
  },
  {
    store: 'lists by the time it was made alone',
    changes: [['sort: [-there.nth, 0,', 'sort: [-createdAt, 0,']],
    caughtBy: ['list: paging finds everything once, even conversations of the same moment'],
  },
  {
    store: 'lists every tenant',
    changes: [['address.tenant === tenant)', 'true)']],
    caughtBy: ['list: no tenant sees the conversations of another'],
  },
  {
    store: 'lists every agent',
    changes: [['(agent ?? there.agent) === there.agent && (status', '(status']],
    caughtBy: ['list: each filter selects only matching rows', 'list: a filter applies to every page'],
  },
  {
    store: 'lists every status',
    changes: [[' && (status ?? there.status) === there.status', '']],
    caughtBy: ['list: each filter selects only matching rows'],
  },
  {
    store: 'lists when it was made as when it was written to',
    changes: [['there.updatedAt = at', '']],
    caughtBy: ['list: the newest conversation comes first, even if an older one has newer events'],
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
    caughtBy: ['listen: a listener is notified of an append by another handle, with its address and seq'],
  },
  {
    store: 'tells one alone',
    changes: [['listeners.add(changed)', 'listeners.clear()\n listeners.add(changed)']],
    caughtBy: ['listen: every listener is notified'],
  },
  {
    store: 'tells those who stopped listening',
    changes: [['() => listeners.delete(changed)', '() => undefined']],
    caughtBy: ['listen: a listener that was removed is not notified'],
  },
  {
    store: 'tells before it wrote',
    changes: [['listener(to, head, left)', 'listener(to, head + 1, left)']],
    caughtBy: ['listen: the append of a notification can be read'],
  },
  {
    store: 'tells the id alone',
    changes: [['listener(to, head', 'listener({ ...to, tenant: "" }, head']],
    caughtBy: ['listen: a listener is notified of an append by another handle, with its address and seq'],
  },
  {
    store: 'does not announce work without an owner',
    changes: [['listener(to, head, left)', 'listener(to, head)']],
    caughtBy: ['listen: work of a node without a valid lease is announced with look'],
  },
  {
    store: 'announces all work as work without an owner',
    changes: [["rows.status === 'running' && !lives(there.owner)", "rows.status === 'running'"]],
    caughtBy: ['listen: work with an owner is not announced with look'],
  },
]
