/**
 * What Holdpoint promises, as data. Tests cite a promise by its id, `test(proves('hold.resolves-once', 'a second answer is
 * refused'), …)`; `npm run guarantees` fails while a promise has no test or a test cites an unknown one, and writes
 * docs/guarantees.md. A promise belongs here once something we ship can keep it, not before.
 */
export const guarantees = {
  'hold.resolves-once': 'A hold is resolved once. A second answer is refused and changes nothing.',
  'hold.never-accepted-and-dropped':
    'An answer that was accepted reaches the model; an answer that cannot be used is refused to whoever gave it.',
  'hold.gated-call-waits-twice':
    'A client or external call that needs approval is held twice: the approval does not stand in for the answer.',
  'call.one-outcome': 'A call has exactly one outcome, and nothing replaces it.',
  'call.held-never-starts': 'A call does not start while it is held.',
  'call.runs-what-was-approved':
    'An approved call runs with the tool and the input that were shown: a changed one must be approved again.',
  'call.same-id-on-retry': 'A call that is sent again is sent with the same id.',
  'call.goes-on-with-the-answer':
    'A handler that asks in the middle of a call goes on with what was said to it, in whatever process; the time people take is not its own.',
  'call.never-after-outcome': 'A call whose outcome is in the log is never sent again.',
  'round.model-waits-for-all': 'The model is called only when no call of the round is open.',
  'round.siblings-unharmed': 'A call that fails, is rejected or expires does not disturb the other calls of its round.',
  'prompt.every-call-has-result': 'The model never sees a call without its result, nor a result without its call.',
  'prompt.log-untouched': 'Whatever is left out of a prompt, the log keeps it.',
  'prompt.same-everywhere': 'Every process shows the model the same of a conversation, also after a restart.',
  'hook.never-passed-over': 'A hook that fails or never answers stops what it was there to look at.',
  'summary.optional': 'A summary that is late, fails or is lost stops nobody.',
  'expiry.first-durable-wins': 'A hold expires or is answered, never both: the first one written wins.',
  'log.no-gaps': 'The log has no gaps and its order never changes.',
  'log.fold-equals-live': 'The state folded from the log equals the state that was live.',
  'bad-input.nothing-half-written': 'Bad input gets a clear error, and nothing of it is written.',
  'output.untrusted-is-checked':
    'What a person, a client or another service answers is checked against the output schema before it counts.',
  'provider.never-dispatched': 'A call that the model vendor carries out is never carried out here.',
  'gate.throwing-means-held': 'When the gate throws, the call is held. It is never let through.',
  'answer.never-lost': 'An answer that was accepted is never lost, whatever dies next.',
  'hold.answer-durable-first':
    'An answer is durable before its verdict is told, and the verdict is told before the turn goes on.',
  'drive.one-process': 'One process at a time drives a conversation. A process that lost it cannot write.',
  'drive.takeover-after-lease':
    'When a process dies, another goes on with what it left, by itself, once its lease has run out, and not before.',
  'drive.retried': 'Code of ours or of a plugin that breaks is told to whoever waits, and tried again.',
  'close.hands-over': 'Closing finishes what is running, begins nothing new, and frees the rest for others at once.',
  'expiry.at-its-time': 'A hold that nobody answers expires at its time, although nothing else happens.',
  'expiry.survives-kill': 'A deadline is kept although the process that made it died.',
  'expiry.store-time': 'Deadlines go by the store’s clock: a process whose own clock is wrong expires nothing early.',
  'key.once': 'A message that is sent again under the same key is one message.',
  'memory.held-costs-disk-only': 'A conversation that waits for somebody takes no memory.',
  'scope.of-the-asker': 'A tool runs on behalf of whoever asked, in whatever process its turn goes on.',
  'store.away-loses-nothing': 'While the store is away nothing is lost: what happened is written when it is back.',
  'subscribe.every-event-once': 'Whoever follows a conversation from a seq sees every later event once, in order.',
  'tenant.isolated': 'A tenant sees nothing of any other, not even that it exists.',
  'space.heard-once': 'What is said in a space is there once, and every other agent in it hears of it once.',
  'cancel.pairs-every-call': 'Cancelling leaves every call of the turn with an outcome.',
} as const satisfies Readonly<Record<string, string>>
