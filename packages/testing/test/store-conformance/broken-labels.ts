/** Wrong about labels, hidden conversations, and what a tenant has. */
import type { Broken } from './broken-store.ts'

const OWN = `(hold.labels ?? []).some((label) => any.labels.includes(label))`
const OF_CONVERSATION = 'there.labels.some((label) => any.conversationLabels.includes(label))'
const LISTED = 'labels?.some((label) => there.labels.includes(label)) ?? true'
const KEPT = 'there.labels = rows.labels ?? there.labels'

export const brokenLabels: readonly Broken[] = [
  {
    store: 'lists only what has all labels',
    changes: [['labels?.some((label) => there.labels', 'labels?.every((label) => there.labels']],
    caughtBy: [
      'labels: a list has the conversations with at least one of the labels, newest first',
      'labels: paging by labels finds everything once, even if several labels match',
    ],
  },
  {
    store: 'takes no labels for any label',
    changes: [[LISTED, `!labels?.length || labels.some((label) => there.labels.includes(label))`]],
    caughtBy: ['labels: a list has the conversations with at least one of the labels, newest first'],
  },
  {
    store: 'lists a conversation once for each of its labels',
    changes: [
      [
        'const found = [...all.values()]\n        .filter(({ address }) => address.tenant === tenant)',
        `const found = [...all.values()]
        .flatMap((there) => Array(labels?.filter((label) => there.labels.includes(label)).length ?? 1).fill(there))
        .filter(({ address }) => address.tenant === tenant)`,
      ],
    ],
    caughtBy: ['labels: paging by labels finds everything once, even if several labels match'],
  },
  {
    store: 'drops labels that are not given again',
    changes: [[KEPT, 'there.labels = rows.labels ?? []']],
    caughtBy: ['labels: the labels of a conversation stay until new ones replace them'],
  },
  {
    store: 'adds labels to the old ones',
    changes: [[KEPT, 'there.labels = [...there.labels, ...(rows.labels ?? [])]']],
    caughtBy: [
      'labels: the labels of a conversation stay until new ones replace them',
      'labels: new labels of a conversation apply to its open holds and to later ones',
    ],
  },
  {
    store: 'keeps the labels of a write that it refuses',
    changes: [
      [
        'if (movedFrom(there, write)) {',
        `${'there.labels = rows.labels ?? there.labels'}\n if (movedFrom(there, write)) {`,
      ],
    ],
    caughtBy: ['labels: the labels of a conversation stay until new ones replace them'],
  },
  {
    store: 'folds the case of labels',
    changes: [[KEPT, 'there.labels = rows.labels?.map((label) => label.toLowerCase()) ?? there.labels']],
    caughtBy: ['labels: labels are compared exactly, and within a tenant'],
  },
  {
    store: 'makes labels of holds well formed',
    changes: [
      [
        OWN,
        '(hold.labels ?? []).some((label) => any.labels.some((one) => one.toWellFormed() === label.toWellFormed()))',
      ],
    ],
    caughtBy: ['labels: labels are compared exactly, and within a tenant'],
  },
  {
    store: 'forgets the status of a list by labels',
    changes: [['(status ?? there.status) === there.status', '(labels || (status ?? there.status) === there.status)']],
    caughtBy: ['labels: labels and the other filters of a list apply together'],
  },
  {
    store: 'finds holds by their own labels alone',
    changes: [[`own || ${OF_CONVERSATION}`, 'own']],
    caughtBy: [
      'labels: an open hold is found by its labels and by those of its conversation',
      'labels: new labels of a conversation apply to its open holds and to later ones',
    ],
  },
  {
    store: 'takes labels of both kinds for one',
    changes: [[OWN, '(hold.labels ?? []).some((label) => [...any.labels, ...any.conversationLabels].includes(label))']],
    caughtBy: ['labels: an open hold is found by its labels and by those of its conversation'],
  },
  {
    store: 'finds only holds with both kinds of labels',
    changes: [[`own || ${OF_CONVERSATION}`, `own && ${OF_CONVERSATION}`]],
    caughtBy: ['labels: paging pending holds by labels finds everything once and in order'],
  },
  {
    store: 'keeps the labels of earlier holds of a call',
    changes: [
      [
        'there.holds.set(row.callId, row)',
        `{ const labels = [...(there.holds.get(row.callId)?.labels ?? []), ...(row.labels ?? [])]
        there.holds.set(row.callId, { ...row, labels }) }`,
      ],
    ],
    caughtBy: ['labels: an open hold has the labels of its newest row'],
  },
  {
    store: 'keeps the labels of the conversation with each hold',
    changes: [
      ['there.holds.set(row.callId, row)', 'there.holds.set(row.callId, { ...row, of: there.labels })'],
      [OF_CONVERSATION, 'hold.of.some((label) => any.conversationLabels.includes(label))'],
    ],
    caughtBy: ['labels: new labels of a conversation apply to its open holds and to later ones'],
  },
  {
    store: 'forgets labels where one conversation is asked for',
    changes: [['if (!any) return true', 'if (!any || conversationId !== undefined) return true']],
    caughtBy: ['labels: labels and the other filters of pending holds apply together'],
  },
  {
    store: 'forgets labels where one call is asked for',
    changes: [['if (!any) return true', 'if (!any || callId !== undefined) return true']],
    caughtBy: ['labels: labels and the other filters of pending holds apply together'],
  },
  {
    store: 'lists hidden conversations',
    changes: [['.filter((there) => !there.hidden)\n        .filter((there) => labels', '.filter((there) => labels']],
    caughtBy: ['labels: a hidden conversation is in no list until it is shown again, and takes no notes'],
  },
  {
    store: 'shows what hidden conversations wait for',
    changes: [['        there.hidden ||\n', '']],
    caughtBy: ['labels: a hidden conversation is in no list until it is shown again, and takes no notes'],
  },
  {
    store: 'keeps a conversation hidden',
    changes: [['there.hidden = rows.hidden ?? false', 'there.hidden ||= rows.hidden ?? false']],
    caughtBy: [
      'labels: a hidden conversation is in no list until it is shown again, and takes no notes',
      'usage: the conversations of a tenant are counted, without hidden ones',
    ],
  },
  {
    store: 'keeps notes of hidden conversations',
    changes: [['if (!there || there.hidden) return', 'if (!there) return']],
    caughtBy: [
      'labels: a hidden conversation is in no list until it is shown again, and takes no notes',
      'erase: a note that is written while its conversation is erased does not stay',
    ],
  },
  {
    store: 'counts hidden conversations',
    changes: [['conversations: shown.length', 'conversations: own.length']],
    caughtBy: ['usage: the conversations of a tenant are counted, without hidden ones'],
  },
  {
    store: 'counts the conversations of every tenant',
    changes: [['[...all.values()].filter((there) => there.address.tenant === tenant)', '[...all.values()]']],
    caughtBy: ['usage: the conversations of a tenant are counted, without hidden ones'],
  },
  {
    store: 'counts events and not their size',
    changes: [['sum + JSON.stringify(events).length', 'sum + events.length']],
    caughtBy: ['usage: events are counted by their size, and not after they are erased'],
  },
]
