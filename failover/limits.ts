/** Numbers that the campaign and its processes share. */
export const CONVERSATIONS: readonly string[] = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']
export const LEASE_MS = 1000
/** How long a conversation may take to complete one more message. Longer: it is stuck. */
export const REST_WITHIN_MS = 60_000
/** How long the processes may take to have a request accepted again. */
export const RECOVER_WITHIN_MS = 60_000
