/** Wrong about who drives, for how long, and what is due. */
import type { Broken } from './broken-store.ts'

export const brokenOwnership: readonly Broken[] = [
  // who drives
  {
    store: 'ignores the epoch',
    changes: [['write.epoch !== undefined && write.epoch !== there.epoch', 'false']],
    caughtBy: ['epoch: an old epoch is fenced, though the seq fits'],
  },
  {
    store: 'lets epochs of the future write',
    changes: [['write.epoch !== there.epoch', 'write.epoch < there.epoch']],
    caughtBy: ['epoch: an epoch that never was is fenced'],
  },
  {
    store: 'answers fenced, and writes',
    changes: [
      [
        `if (write.epoch !== undefined && write.epoch !== there.epoch) return { result: 'fenced' }`,
        `if (write.epoch !== undefined && write.epoch !== there.epoch) { there.base = { seq: 1, state: rows.base }\n return { result: 'fenced' } }`,
      ],
    ],
    caughtBy: ['epoch: a fenced write leaves nothing behind'],
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
      'epoch: another process may write while a node owns the conversation, and does not take it over',
      'epoch: the owner that writes as an outsider still owns it, under the same epoch',
    ],
  },
  {
    store: 'leaves a conversation with an owner that is gone',
    changes: [['!lives(there.owner)) {', '!there.owner) {']],
    caughtBy: ['epoch: an outsider takes a running conversation whose owner left'],
  },
  {
    store: 'leaves a resting conversation with its owner',
    changes: [[`there.status !== 'running' || !lives`, '!lives']],
    caughtBy: ['epoch: another process takes an idle conversation though the lease of its last owner is valid'],
  },
  {
    store: 'changes the owner and not the epoch',
    changes: [['there.epoch++', '']],
    caughtBy: [
      'epoch: an old epoch is fenced, though the seq fits',
      'epoch: epochs only grow, for every node and every way of taking over',
    ],
  },
  {
    store: 'says that nothing has an owner',
    changes: [['node !== undefined && there.owner === node', 'false']],
    caughtBy: ['epoch: who makes a conversation run becomes its owner, under a new epoch'],
  },
  {
    store: 'owns without a node',
    changes: [['node !== undefined && there.owner === node', 'there.owner === node']],
    caughtBy: ['epoch: who makes a conversation run becomes its owner, under a new epoch'],
  },
  {
    store: 'lets everybody claim everything',
    changes: [['if (lives(there.owner)) return undefined', '']],
    caughtBy: ['claim: a claim takes no conversation from an owner with a valid lease'],
  },
  {
    store: 'lets what rests be claimed',
    changes: [[`if (there?.status !== 'running')`, 'if (!there)']],
    caughtBy: [
      'claim: a conversation that came to rest cannot be claimed, though its owner is gone',
      'claim: a conversation that rests cannot be claimed',
    ],
  },
  {
    store: 'fences an owner that claims what it drives',
    changes: [['return there.epoch\n      if (lives', 'return ++there.epoch\n      if (lives']],
    caughtBy: ['claim: a node that claims its own conversation is told its epoch, which stays'],
  },
  {
    store: 'tells an owner that there is nothing to claim',
    changes: [['if (there.owner === node) return there.epoch', '']],
    caughtBy: ['claim: a node that claims its own conversation is told its epoch, which stays'],
  },
  {
    store: 'claims under the old epoch',
    changes: [['return ++there.epoch', 'return there.epoch']],
    caughtBy: [
      'claim: a running conversation without an owner can be claimed, and driven',
      'crash: what a dead node drove is free once its lease ran out, and its last words count',
    ],
  },
  {
    store: 'refuses every claim',
    changes: [['return ++there.epoch', 'return undefined']],
    caughtBy: ['claim: a running conversation without an owner can be claimed, and driven'],
  },
  {
    store: 'claims without becoming the owner',
    changes: [['there.owner = node\n      return', 'return']],
    caughtBy: [
      'claim: of many claims at the same moment, one wins',
      'claim: a conversation claimed by a node with a valid lease cannot be claimed again',
    ],
  },
  {
    store: 'forgets that a node left',
    changes: [['nodes.delete(node)', '']],
    caughtBy: [
      'lease: a node that leaves frees everything it drove, and nothing else',
      'claim: a claim succeeds once the owner left',
    ],
  },
  {
    store: 'sends everybody away with one',
    changes: [['nodes.delete(node)', 'nodes.clear()']],
    caughtBy: ['lease: a node that leaves frees everything it drove, and nothing else'],
  },
  {
    store: 'knows no end of a lease',
    changes: [['(nodes.get(node) ?? -Infinity) > now()', 'nodes.has(node)']],
    caughtBy: [
      'epoch: an outsider takes a running conversation whose owner’s lease ran out',
      'claim: a claim succeeds once the owner’s lease ran out, and fences it',
    ],
  },
  {
    store: 'counts the first beat only',
    changes: [['nodes.set(node, now() + ttlMs)', 'if (!nodes.has(node)) nodes.set(node, now() + ttlMs)']],
    caughtBy: ['lease: a node that was late but not replaced goes on', 'lease: every heartbeat renews the lease'],
  },
  {
    store: 'ends a lease at once',
    changes: [['nodes.set(node, now() + ttlMs)', 'nodes.set(node, now())']],
    caughtBy: ['lease: a node owns its work until its lease runs out'],
  },
  {
    store: 'tells no time',
    changes: [['return now()\n', 'return 0\n']],
    caughtBy: ['lease: a beat tells the store’s own time'],
  },
  {
    store: 'starts an epoch with every rest',
    changes: [
      ['there.status = rows.status', `there.epoch += Number(rows.status !== 'running')\n there.status = rows.status`],
    ],
    caughtBy: ['epoch: its driver writes on under its epoch, through rest and back'],
  },
  {
    store: 'knows every node that leaves',
    changes: [['nodes.delete(node)', 'if (!nodes.delete(node)) throw new Error(node)']],
    throws: 'unknown',
    caughtBy: ['lease: a node that was never there may leave'],
  },
  // what is due
  {
    store: 'forgets deadlines',
    changes: [['wakeAt <= now() ||', '']],
    caughtBy: ['due: a deadline that came is due, and none before its time'],
  },
  {
    store: 'wakes before the time',
    changes: [['wakeAt <= now() ||', 'wakeAt < Infinity ||']],
    caughtBy: ['due: a deadline that came is due, and none before its time'],
  },
  {
    store: 'reports nothing due while an owner has a valid lease',
    changes: [['wakeAt <= now() ||', '(wakeAt <= now() && !lives(owner)) ||']],
    caughtBy: ['due: a deadline is due although the lease of its owner is valid'],
  },
  {
    store: 'keeps a deadline that was called off',
    changes: [['there.wakeAt = rows.wakeAt', 'there.wakeAt = rows.wakeAt ?? there.wakeAt']],
    caughtBy: ['due: a deadline that was put off or called off is not due'],
  },
  {
    store: 'keeps the first deadline',
    changes: [
      ['there.wakeAt = rows.wakeAt', 'there.wakeAt = there.wakeAt && rows.wakeAt ? there.wakeAt : rows.wakeAt'],
    ],
    caughtBy: ['due: a deadline that was put off or called off is not due'],
  },
  {
    store: 'finds no work but deadlines',
    changes: [[` || (status === 'running' && !lives(owner))`, '']],
    caughtBy: ['epoch: a conversation that runs without a node named has no owner'],
  },
  {
    store: 'finds work that rests',
    changes: [[`(status === 'running' && !lives(owner))`, '!lives(owner)']],
    caughtBy: ['due: a running conversation without an owner with a valid lease is due, and an idle one is not'],
  },
  {
    store: 'finds work that has an owner',
    changes: [[`(status === 'running' && !lives(owner))`, `status === 'running'`]],
    caughtBy: ['due: a running conversation without an owner with a valid lease is due, and an idle one is not'],
  },
  {
    store: 'finds work for other agents',
    changes: [['(agents ?? [agent]).includes(agent)', 'true']],
    caughtBy: ['due: only conversations of the given agents are due'],
  },
  {
    store: 'looks at the first hundred agents it is given',
    changes: [['(agents ?? [agent]).includes(agent)', '(agents ?? [agent]).slice(0, 100).includes(agent)']],
    caughtBy: ['due: who drives very many agents is told of theirs, and of no others'],
  },
  {
    store: 'takes no agents named for none at all',
    changes: [['(agents ?? [agent])', '(agents ?? [])']],
    caughtBy: ['due: unless agents are named, conversations of any are due'],
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
    caughtBy: ['due: what is due is told of every tenant'],
  },
  {
    store: 'finds more work than asked for',
    changes: [['due.slice(0, limit)', 'due']],
    caughtBy: ['due: no more than asked for is told, and the rest when those are taken'],
  },
  {
    store: 'finds the same twice',
    changes: [
      [
        'const waiting =',
        `due.push(...due.filter(({ wakeAt, status }) => wakeAt && status === 'running'))\n const waiting =`,
      ],
    ],
    caughtBy: ['due: a conversation that is due twice over is told once'],
  },
  {
    store: 'waits for deadlines that came',
    changes: [[' && wakeAt > now() ?', ' ?']],
    caughtBy: ['due: the next deadline is the earliest that has not come'],
  },
  {
    store: 'waits for the last deadline',
    changes: [['Math.min(...waiting)', 'Math.max(...waiting)']],
    caughtBy: ['due: the next deadline is the earliest that has not come'],
  },
]
