/**
 * What Holdpoint guarantees, as data. Tests cite a guarantee by its id, `test(proves('hold.resolves-once', 'a second answer is
 * refused'), …)`; `npm run guarantees` fails while a guarantee has no test or a test cites an unknown one, and
 * writes docs/guarantees.md. A guarantee belongs here once a released package keeps it, not before.
 */
export const guarantees = {
  'hold.resolves-once': 'A hold is resolved once. A second answer is refused and changes nothing.',
  'hold.never-accepted-and-dropped':
    'An accepted answer reaches the model. An answer that cannot be used is refused, and its sender gets the reason.',
  'hold.gated-call-waits-twice':
    'A client or external call that needs approval is held twice: the approval is not the answer.',
  'call.one-outcome': 'A call has exactly one outcome, and nothing replaces it.',
  'call.held-never-starts': 'A call does not start while it is held.',
  'call.runs-what-was-approved':
    'An approved call runs with the tool and the input that were shown: a changed one must be approved again.',
  'call.same-id-on-retry': 'A call that is sent again is sent with the same id.',
  'call.goes-on-with-the-answer':
    'A handler that asks in the middle of a call continues with the answer, in any process; the time that people take does not count against its timeout.',
  'call.never-after-outcome': 'A call whose outcome is in the log is never sent again.',
  'round.model-waits-for-all': 'The model is called only when no call of the round is open.',
  'round.siblings-unharmed': 'A call that fails, is rejected or expires does not affect the other calls of its round.',
  'prompt.every-call-has-result': 'The model never sees a call without its result, nor a result without its call.',
  'prompt.log-untouched': 'The log keeps everything that a prompt leaves out.',
  'prompt.same-everywhere': 'Every process makes the same prompt from a conversation, after a restart too.',
  'hook.never-passed-over': 'A hook that fails or never returns stops the message or call that it was to check.',
  'summary.optional': 'A summary that is late, fails or is lost stops no turn.',
  'erasure.wins':
    'Once a conversation is erased, nothing of it can be read, and no work that was in progress writes to it again.',
  'expiry.first-durable-wins': 'A hold expires or is answered, never both: the first one written wins.',
  'log.no-gaps': 'The log has no gaps and its order never changes.',
  'log.export-is-verified':
    'In an export with hashes, any changed byte, and any event that is dropped, inserted or moved, is found.',
  'rules.same-in-cedar': 'Cedar and the built-in evaluator decide the same about a call.',
  'log.fold-equals-live': 'The state folded from the log equals the live state.',
  'bad-input.nothing-half-written': 'Invalid input gets a clear error, and nothing of it is written.',
  'output.untrusted-is-checked':
    'An answer of a person, a client or another service is validated against the output schema before it is accepted.',
  'provider.never-dispatched': 'A call that the model vendor runs never runs here.',
  'gate.throwing-means-held': 'When the gate throws, the call is held. It does not run.',
  'answer.never-lost': 'An accepted answer is never lost, whichever process dies next.',
  'hold.answer-durable-first':
    'An answer is durable before the caller gets its verdict, and the caller gets the verdict before the turn continues.',
  'drive.one-process': 'One process at a time drives a conversation. A process that lost it cannot write.',
  'drive.takeover-after-lease':
    'When a process dies, another continues its work automatically once the lease has expired, and not before.',
  'drive.retried':
    'When code of Holdpoint or of a plugin throws, waiting callers get the error, and the work is retried.',
  'close.hands-over':
    'Closing finishes running work, starts nothing new, and releases the rest to other processes at once.',
  'expiry.at-its-time': 'A hold without an answer expires at its deadline, even if nothing else happens.',
  'expiry.survives-kill': 'A deadline is kept even if the process that made it died.',
  'expiry.store-time': 'Deadlines use the store’s clock: a process whose own clock is wrong expires nothing early.',
  'key.once': 'A message that is sent again with the same key is one message.',
  'memory.held-costs-disk-only': 'A conversation that waits for an answer takes no memory.',
  'scope.of-the-asker':
    'A tool runs with the scope of the author of its turn, in whichever process the turn continues.',
  'store.away-loses-nothing': 'While the store is unavailable nothing is lost: events are written when it is back.',
  'subscribe.every-event-once': 'A subscriber that starts at a seq gets every later event once, in order.',
  'tenant.isolated': 'A tenant sees nothing of another tenant, not even that it exists.',
  'access.only-their-own':
    'A person sees and changes only conversations and holds that the rules allow, whichever protocol they use.',
  'access.in-the-decision':
    'A right to write is checked in the decision that is written, on the state it is written to.',
  'approval.distinct-people':
    'Approvals are counted by person: a requester who is excluded, a second name and a delegate of the same person do not count.',
  'space.heard-once': 'A message in a space is there once, and every other agent in it receives it once.',
  'restore.in-doubt':
    'After a restore from a backup, a call that may have run since runs again only if its tool or a person says so.',
  'channel.told-at-least-once':
    'A person who may decide a hold is told of it at least once, and every message says in the end how the hold ended.',
  'link.only-its-person':
    'A signed link decides one hold once, as its person, and neither a preview nor a scanner decides with it.',
  'cells.move-loses-nothing':
    'When a tenant is moved to another cell while it is in use, nothing is lost, and nothing is done twice.',
  'cancel.pairs-every-call': 'After a cancel, every call of the turn has an outcome.',
} as const satisfies Readonly<Record<string, string>>
