/** Broken stores: the hash chain of a log. */
import type { Broken } from './broken-store.ts'

export const brokenChain: readonly Broken[] = [
  {
    store: 'computes a hash without the one before it',
    changes: [["const before = write.erase ? '' : write.follows", "const before = ''"]],
    caughtBy: ['chain: the hash of a batch covers its events, its time and the hash before it'],
  },
  {
    store: 'does not compare the hash that an append follows',
    changes: [[' || hashOf(there) !== follows', '']],
    caughtBy: ['chain: an append that follows another hash is a conflict, and writes nothing'],
  },
  {
    store: 'answers a repeated append without its hash',
    changes: [
      [
        "const hash = there.batches.find(({ seq }) => seq === expectedSeq + events.length)?.hash ?? ''",
        "const hash = ''",
      ],
    ],
    caughtBy: ['chain: a repeated append is answered with the hash of what was written'],
  },
  {
    store: 'returns the head that it was asked about',
    changes: [['const newest = { seq: headOf(there), hash: hashOf(there) }', 'const newest = head']],
    caughtBy: ['chain: what follows a head is everything after it, and the new head'],
  },
  {
    store: 'continues from any head that is short enough',
    changes: [['if (head.seq > erased && known !== head.hash) return undefined', '']],
    caughtBy: ['chain: nothing follows a head that the log does not have'],
  },
  {
    store: 'returns all batches, whatever the limit',
    changes: [['.filter(({ seq }) => seq > after).slice(0, limit),', '.filter(({ seq }) => seq > after),']],
    caughtBy: ['chain: batches are read from any seq, a few at a time'],
  },
  {
    store: 'continues the chain over an erasure',
    changes: [["const before = write.erase ? '' : write.follows", 'const before = write.follows']],
    caughtBy: ['chain: an erased log begins a new chain, and follows every head before'],
  },
  {
    store: 'lets every node use an epoch',
    changes: [["if (write.epoch !== undefined && node !== undefined && !owned()) return { result: 'fenced' }", '']],
    caughtBy: ['chain: a driver’s append by a node that is not the owner is fenced'],
  },
]
