/** What must always hold, each promise under its id. A run ends at the first that was broken. */
export const invariants = {
  'log-gapless': 'The log of a conversation has every seq from 1 on, once, in order.',
  'log-for-ever': 'What was written stays as it was written.',
  'log-possible': 'Every event follows from those before it.',
  'one-outcome': 'A call has at most one outcome, and nothing happens to it afterwards but an answer that came late.',
  'held-waits': 'A call that is held does not start before somebody agreed: as many as must, and to the same input.',
  'model-waits': 'The model is asked only when no call of the round is open, and only for the step that is due.',
  'prompt-paired': 'No prompt has a call without its result, a result without its call, or an id twice.',
  'prompt-is-the-log': 'The model is told what the log says, and nothing else.',
  'model-spend': 'The model is asked once for a step, and again only after a failure or a change of hands.',
  'started-first': 'A call runs only after its start is in the log, and once for each start.',
  'never-after-outcome': 'A call is not begun after its outcome was known to whoever begins it.',
  'same-call': 'A call that runs again does so under the same id and with the same input.',
  'at-most-once': 'A call that must not run twice does so only if a person said so, or its own check.',
  'lost-for-a-reason': 'A call is given up for lost only if whoever began it may have lost track of it.',
  'runs-what-was-approved': 'What runs is the input and the tool definition that somebody, or the gate, agreed to.',
  'answer-kept': 'An answer that was accepted is in the log from that moment on.',
  'one-accepted': 'Of answers to the same question one is accepted, and nobody else is told that theirs was.',
  'verdict-true': 'Whoever answers in vain is told why, and the log agrees.',
  'said-once': 'What is said again is not spent on another question of the same call.',
  'goes-on-with-the-answer': 'A call that goes on does so with what was said to its question, and with what it kept.',
  'message-kept': 'A message that was taken is in the log from that moment on, and one that was refused is not.',
  'key-once': 'What is sent twice under one key is taken once.',
  'queue-kept': 'What waits is taken up in order, once.',
  'state-kept': 'What calls do to the state of a conversation adds up, also when they run together.',
  'expiry-in-time': 'No hold expires before its deadline by the clock of the store.',
  fenced: 'Only who drives writes what drivers write, under the newest epoch.',
  'one-driver': 'A conversation changes hands only when nobody is at work on it, or who was is gone.',
  'lease-over': 'A node that may have been replaced begins no calls.',
  'base-is-the-fold': 'The state that is kept to start from is what the log folds to.',
  'rows-are-the-fold': 'Status, deadline and open holds beside the log are what the log says.',
  'pending-is-open': 'Who asks what is pending is told the holds that are open.',
  'reader-gapless': 'A follower sees every event once and in order, however often it goes and comes back.',
  'drain-begins-nothing': 'A node that is closing asks for no new step.',
  'post-kept':
    'A post that was taken is in the log of its space from that moment on, once; one that was refused is not.',
  'delivered-once': 'Every other agent that is in a space hears once of what is said there, and nobody else does.',
  'space-order': 'What is said in a space is heard in the order in which it was taken.',
  'chain-limited':
    'Agents that talk among themselves wake each other so many times, and no more until a person speaks.',
  'plan-fires-once': 'Each due time of a plan fires once, and not before its time.',
  'plan-missed': 'What becomes of due times that were missed is what the plan says.',
  'shown-true': 'A call that is shown in a space begins there once, and ends there as it ended.',
  'presence-true': 'Who is active in a space is at work there.',
  'nothing-breaks': 'Nothing is thrown but what says that the store is away, or that the node was closed.',
  live: 'When faults stop, every conversation comes to rest, or waits for somebody outside.',
  quiet: 'Where everything rests, nobody writes, and timers run only for leases and the next look.',
} as const

export type InvariantId = keyof typeof invariants

export interface Violation {
  readonly invariant: InvariantId
  readonly what: string
}

/** Remembers the first promise that was broken. It never throws: the code under test would take that for its own. */
export class Judge {
  violation: Violation | undefined

  /** Gives the fact back, for whoever wants to go on only if it holds. */
  require(fact: boolean, invariant: InvariantId, what: () => string): boolean {
    if (!fact) this.violation ??= { invariant, what: what() }
    return fact
  }
}
