/** Wrong about who drives, for how long, and what is due. */
import type { Broken } from './broken-store.ts'

export const brokenOwnership: readonly Broken[] = [
  // who drives
  {
    store: 'ignores the epoch',
    changes: [['write.epoch !== undefined && write.epoch !== there.epoch', 'false']],
    caughtBy: ['epoch: an append with an old epoch is fenced, even if the seq is right'],
  },
  {
    store: 'lets epochs of the future write',
    changes: [['write.epoch !== there.epoch', 'write.epoch < there.epoch']],
    caughtBy: ['epoch: an append with an unknown epoch is fenced'],
  },
  {
    store: 'answers fenced, and writes',
    changes: [
      [
        `if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }`,
        `if (write.epoch !== undefined && write.epoch !== there.epoch) { there.base = { seq: 1, state: rows.base }\n return { result: 'fenced' } }`,
      ],
    ],
    caughtBy: ['epoch: a fenced append writes nothing'],
  },
  {
    store: 'gives away what does not run',
    changes: [[` && rows.status === 'running'`, '']],
    caughtBy: ['epoch: an append does not make its node the owner of a conversation that does not run'],
  },
  {
    store: 'gives a running conversation to the node that writes',
    changes: [[`there.status !== 'running' || !lives(there.owner)`, 'true']],
    caughtBy: [
      'epoch: another process may append while a node owns the conversation, and does not become the owner',
      'epoch: an owner that appends without its epoch stays the owner, under the same epoch',
    ],
  },
  {
    store: 'leaves a conversation with an owner that is gone',
    changes: [['!lives(there.owner)) {', '!there.owner) {']],
    caughtBy: ['epoch: an append with a node takes over a running conversation whose owner has left'],
  },
  {
    store: 'leaves a resting conversation with its owner',
    changes: [[`there.status !== 'running' || !lives`, '!lives']],
    caughtBy: [
      'epoch: an append with a node takes over an idle conversation, even if its last owner has a valid lease',
    ],
  },
  {
    store: 'changes the owner and not the epoch',
    changes: [['there.epoch++', '']],
    caughtBy: [
      'epoch: an append with an old epoch is fenced, even if the seq is right',
      'epoch: epochs only grow, for every node and every kind of takeover',
    ],
  },
  {
    store: 'says that nothing has an owner',
    changes: [['node !== undefined && there.owner === node', 'false']],
    caughtBy: ['epoch: the node whose append starts a conversation becomes its owner, under a new epoch'],
  },
  {
    store: 'owns without a node',
    changes: [['node !== undefined && there.owner === node', 'there.owner === node']],
    caughtBy: ['epoch: the node whose append starts a conversation becomes its owner, under a new epoch'],
  },
  {
    store: 'lets every node take over every conversation',
    changes: [['if (lives(there.owner)) return undefined', '']],
    caughtBy: ['take over: a node cannot take over a conversation whose owner has a valid lease'],
  },
  {
    store: 'lets a node take over a conversation at rest',
    changes: [[`if (there?.status !== 'running')`, 'if (!there)']],
    caughtBy: [
      'take over: a node cannot take over a conversation that came to rest, even if its owner is gone',
      'take over: a node cannot take over a conversation at rest',
    ],
  },
  {
    store: 'fences an owner that takes over its own conversation',
    changes: [['return there.epoch\n      if (lives', 'return ++there.epoch\n      if (lives']],
    caughtBy: ['take over: a node that takes over its own conversation gets its epoch, which stays the same'],
  },
  {
    store: 'tells an owner that there is nothing to take over',
    changes: [['if (there.owner === node) return there.epoch', '']],
    caughtBy: ['take over: a node that takes over its own conversation gets its epoch, which stays the same'],
  },
  {
    store: 'takes over under the old epoch',
    changes: [['return ++there.epoch', 'return there.epoch']],
    caughtBy: [
      'take over: a node takes over a running conversation without an owner, and drives it',
      'crash: conversations of a dead node can be taken over once its lease has expired, and its last write counts',
    ],
  },
  {
    store: 'refuses every takeover',
    changes: [['return ++there.epoch', 'return undefined']],
    caughtBy: ['take over: a node takes over a running conversation without an owner, and drives it'],
  },
  {
    store: 'takes over without changing the owner',
    changes: [['there.owner = node\n      return', 'return']],
    caughtBy: [
      'take over: of many nodes that take over at the same moment, one succeeds',
      'take over: a node cannot take over a conversation that a node with a valid lease has just taken over',
    ],
  },
  {
    store: 'forgets that a node left',
    changes: [['nodes.delete(node)', '']],
    caughtBy: [
      'lease: when a node leaves, its conversations can be taken over, and no others',
      'take over: a node takes over once the owner has left',
    ],
  },
  {
    store: 'sends everybody away with one',
    changes: [['nodes.delete(node)', 'nodes.clear()']],
    caughtBy: ['lease: when a node leaves, its conversations can be taken over, and no others'],
  },
  {
    store: 'knows no end of a lease',
    changes: [['(nodes.get(node) ?? -Infinity) > now()', 'nodes.has(node)']],
    caughtBy: [
      'epoch: an append with a node takes over a running conversation whose owner’s lease has expired',
      'take over: a node takes over once the owner’s lease has expired, and the old owner is fenced',
    ],
  },
  {
    store: 'counts the first beat only',
    changes: [['nodes.set(node, now() + ttlMs)', 'if (!nodes.has(node)) nodes.set(node, now() + ttlMs)']],
    caughtBy: ['lease: a node that was late but not replaced continues', 'lease: every heartbeat renews the lease'],
  },
  {
    store: 'ends a lease at once',
    changes: [['nodes.set(node, now() + ttlMs)', 'nodes.set(node, now())']],
    caughtBy: ['lease: a node owns its conversations until its lease expires'],
  },
  {
    store: 'tells no time',
    changes: [['return now()\n', 'return 0\n']],
    caughtBy: ['lease: a beat returns the time of the store’s clock'],
  },
  {
    store: 'starts an epoch with every rest',
    changes: [
      ['there.status = rows.status', `there.epoch += Number(rows.status !== 'running')\n there.status = rows.status`],
    ],
    caughtBy: ['epoch: a driver keeps its epoch when the conversation comes to rest and runs again'],
  },
  {
    store: 'knows every node that leaves',
    changes: [['nodes.delete(node)', 'if (!nodes.delete(node)) throw new Error(node)']],
    throws: 'unknown',
    caughtBy: ['lease: an unknown node may leave'],
  },
  // what is due
  {
    store: 'forgets deadlines',
    changes: [['wakeAt <= now() ||', '']],
    caughtBy: ['due: a conversation is due from its deadline on, and not before'],
  },
  {
    store: 'wakes before the time',
    changes: [['wakeAt <= now() ||', 'wakeAt < Infinity ||']],
    caughtBy: ['due: a conversation is due from its deadline on, and not before'],
  },
  {
    store: 'reports nothing due while an owner has a valid lease',
    changes: [['wakeAt <= now() ||', '(wakeAt <= now() && !lives(owner)) ||']],
    caughtBy: ['due: a conversation is due at its deadline even if its owner has a valid lease'],
  },
  {
    store: 'keeps a deadline that was called off',
    changes: [['there.wakeAt = rows.wakeAt', 'there.wakeAt = rows.wakeAt ?? there.wakeAt']],
    caughtBy: ['due: a deadline that was moved or removed is not due'],
  },
  {
    store: 'keeps the first deadline',
    changes: [
      ['there.wakeAt = rows.wakeAt', 'there.wakeAt = there.wakeAt && rows.wakeAt ? there.wakeAt : rows.wakeAt'],
    ],
    caughtBy: ['due: a deadline that was moved or removed is not due'],
  },
  {
    store: 'finds no work but deadlines',
    changes: [[` || (status === 'running' && !lives(owner))`, '']],
    caughtBy: ['epoch: a conversation that was started without a node has no owner'],
  },
  {
    store: 'finds work that rests',
    changes: [[`(status === 'running' && !lives(owner))`, '!lives(owner)']],
    caughtBy: ['due: a running conversation whose owner has no valid lease is due, and an idle one is not'],
  },
  {
    store: 'finds work that has an owner',
    changes: [[`(status === 'running' && !lives(owner))`, `status === 'running'`]],
    caughtBy: ['due: a running conversation whose owner has no valid lease is due, and an idle one is not'],
  },
  {
    store: 'finds work for other agents',
    changes: [['(agents ?? [agent]).includes(agent)', 'true']],
    caughtBy: ['due: only conversations of the given agents are due'],
  },
  {
    store: 'looks at the first hundred agents it is given',
    changes: [['(agents ?? [agent]).includes(agent)', '(agents ?? [agent]).slice(0, 100).includes(agent)']],
    caughtBy: ['due: a query with very many agents finds their conversations, and no others'],
  },
  {
    store: 'takes no agents named for none at all',
    changes: [['(agents ?? [agent])', '(agents ?? [])']],
    caughtBy: ['due: without a list of agents, conversations of all agents are due'],
  },
  {
    store: 'takes no agents for any',
    changes: [['(agents ?? [agent])', '(agents?.length ? agents : [agent])']],
    caughtBy: ['due: only conversations of the given agents are due'],
  },
  {
    store: 'finds work of one tenant',
    changes: [
      [
        '(agents ?? [agent]).includes(agent))',
        '(agents ?? [agent]).includes(agent)).filter((one) => one.address.tenant === "")',
      ],
    ],
    caughtBy: ['due: due conversations of all tenants are returned'],
  },
  {
    store: 'finds more work than asked for',
    changes: [['due.slice(0, limit)', 'due']],
    caughtBy: ['due: at most `limit` are returned, and the rest after those are taken over'],
  },
  {
    store: 'finds the same twice',
    changes: [
      [
        'const waiting =',
        `due.push(...due.filter(({ wakeAt, status }) => wakeAt && status === 'running'))\n const waiting =`,
      ],
    ],
    caughtBy: ['due: a conversation that is due for two reasons is returned once'],
  },
  {
    store: 'waits for deadlines that came',
    changes: [[' && wakeAt > now() ?', ' ?']],
    caughtBy: ['due: the next deadline is the earliest in the future'],
  },
  {
    store: 'waits for the last deadline',
    changes: [['Math.min(...waiting)', 'Math.max(...waiting)']],
    caughtBy: ['due: the next deadline is the earliest in the future'],
  },
]
