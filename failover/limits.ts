/** Numbers that the campaign and its processes share. */
export const CONVERSATIONS: readonly string[] = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']
/**
 * As in applications. With a lease of a second, a machine on which a commit took longer made each process take the running calls of the
 * other one for lost, again and again: their conversations were never at rest.
 */
export const LEASE_MS = 15_000
/** A client sends so many messages to a conversation, and then waits until it is at rest. What is queued at the end is little. */
export const MESSAGES_AT_ONCE = 3
/** How long a conversation may take to complete one more message. Longer: it is stuck. */
export const REST_WITHIN_MS = 180_000
/** How long the processes may take to have a request accepted again. */
export const RECOVER_WITHIN_MS = 60_000
