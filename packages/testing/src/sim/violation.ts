/** The invariants, each under its id. A run ends at the first broken one. */
export const invariants = {
  'log-gapless': 'The log of a conversation has every seq from 1 on, once, in order.',
  'log-for-ever': 'A written event never changes.',
  'log-possible': 'Every event follows from those before it.',
  'one-outcome': 'A call has at most one outcome, and after it only a late answer.',
  'held-waits': 'A held call does not start before enough approvers approved the same input.',
  'model-waits': 'The model is called only when no call of the round is open, and only for the step that is due.',
  'prompt-paired': 'No prompt has a call without its result, a result without its call, or an id twice.',
  'prompt-is-the-log': 'The prompt has exactly the messages that the log says.',
  'model-spend': 'The model is called once for a step, and again only after a failure or a change of owner.',
  'started-first': 'A call runs only after its start is in the log, and once for each start.',
  'never-after-outcome': 'A node does not begin a call whose outcome it already knows.',
  'same-call': 'A call that runs again does so under the same id and with the same input.',
  'at-most-once': 'A call that must not run twice does so only if a person or its own `verify` allowed it.',
  'lost-for-a-reason': 'A call is treated as lost only if the node that started it may have died or missed an answer.',
  'runs-what-was-approved':
    'The input and the tool definition that run are those that an approver or the gate approved.',
  'answer-kept': 'An answer that was accepted is in the log from that moment on.',
  'one-accepted': 'Of several answers to one question, one is accepted, and only its caller gets `accepted`.',
  'verdict-true': 'A verdict other than `accepted` gives the true reason, and the log agrees.',
  'only-who-may': 'An answer in the log is from a caller that may answer the hold it was given to.',
  'only-participants-write': 'A person without a wider right writes only where it is the owner or a participant.',
  'one-asker': 'A turn acts for the author of its messages, and for no other; a cycle acts for its agent.',
  'said-once': 'A repeated answer is not applied to another question of the same call.',
  'goes-on-with-the-answer':
    'A call that resumes does so with the answer to its question, and with the state it saved.',
  'message-kept': 'An accepted message is in the log from that moment on, and a refused one is not.',
  'key-once': 'A message sent twice under one key is accepted once.',
  'queue-kept': 'Queued messages are taken in order, once.',
  'state-kept': 'State updates of calls add up, also when the calls run in parallel.',
  'rule-in-force': 'No rule decides a call after it was revoked or has expired.',
  'rule-uses': 'A rule allows no more calls than it may, and each decision by rule is counted before it is followed.',
  'rule-fits': 'A rule decides only calls that fit it.',
  'deny-followed': 'No call starts that a rule denied since before its process was started.',
  'expiry-in-time': 'No hold expires before its deadline by the clock of the store.',
  'route-in-time': 'No reminder and no escalation of a hold comes before its time, or twice.',
  fenced: 'Only the owner writes the events of a driver, under the newest epoch.',
  'one-driver': 'A conversation changes owner only when no node works on it, or when the lease of its owner is over.',
  'lease-over': 'A node that may have been replaced begins no calls.',
  'base-is-the-fold': 'A stored base is the fold of the log up to it.',
  'rows-are-the-fold': 'The status, deadline and open holds beside the log agree with the log.',
  'pending-is-open': 'The pending list has exactly the open holds.',
  'reader-gapless': 'A subscriber sees every event once and in order, however often it reconnects.',
  'drain-begins-nothing': 'A node that is closing begins no new step.',
  'post-kept': 'An accepted post is in the log of its space from that moment on, once; a refused one is not.',
  'delivered-once': 'Every message in a space is delivered once to each other agent in it, and to no other agent.',
  'space-order': 'Messages of a space are delivered in the order of its log.',
  'chain-limited': 'Messages of agents wake other agents only up to the limit, until a person posts.',
  'plan-fires-once': 'Each due time of a plan fires once, and not before its time.',
  'plan-missed': 'Missed due times of a plan are handled as the plan says.',
  'shown-true': 'A call that is shown in a space begins there once, and ends there with its real outcome.',
  'presence-true': 'An agent that a space shows as active works there.',
  'nothing-breaks': 'The only errors are that the store is unavailable, or that the node was closed.',
  live: 'When faults stop, every conversation becomes idle, or waits for an answer from outside.',
  'told-in-the-end':
    'In the end everyone who may decide has a message of each hold, and each message says how its hold ended.',
  'acknowledged-safe': 'What a process or a caller is told was written is on the synchronous standby.',
  'loss-told': 'A process that had events which the store has lost reports how many, once it has read the log again.',
  'damage-found': 'A read never returns events that differ from those that were written.',
  'damage-told': 'A process that meets a damaged log reports it, or tells its caller.',
  'restored-asks':
    'After a restore, no call runs again that must not run twice, and no model is called, until a person acts.',
  quiet: 'While every conversation is idle, no node writes, and timers run only for leases and the next poll.',
} as const

export type InvariantId = keyof typeof invariants

export interface Violation {
  readonly invariant: InvariantId
  readonly what: string
}

/**
 * Those that hold although the store lost writes. The others compare the log with what callers, tools and models remember of it,
 * and they remember what is lost.
 */
const acrossLoss: ReadonlySet<InvariantId> = new Set<InvariantId>([
  'log-gapless',
  'log-for-ever',
  'log-possible',
  'one-outcome',
  'held-waits',
  'runs-what-was-approved',
  'answer-kept',
  'one-accepted',
  'verdict-true',
  'only-who-may',
  'expiry-in-time',
  'route-in-time',
  'fenced',
  'one-driver',
  'queue-kept',
  'state-kept',
  'base-is-the-fold',
  'rows-are-the-fold',
  'pending-is-open',
  'reader-gapless',
  'acknowledged-safe',
  'loss-told',
  'restored-asks',
  'nothing-breaks',
  'live',
  'quiet',
])

/** Records the first broken invariant. It never throws: the code under test would take the error for its own. */
export class Judge {
  violation: Violation | undefined
  /** The store lost writes. */
  afterLoss = false

  /** Returns the fact, for callers that continue only if it holds. */
  require(fact: boolean, invariant: InvariantId, what: () => string): boolean {
    if (!fact && (!this.afterLoss || acrossLoss.has(invariant))) this.violation ??= { invariant, what: what() }
    return fact
  }
}
