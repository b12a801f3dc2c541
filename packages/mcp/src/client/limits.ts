/** The resources that a server may use. Each limit is far above normal use and far below what harms the process. */
export const LIMITS = {
  /** Tools per server. */
  tools: 500,
  /** Pages per list. */
  pages: 32,
  /** Stored definitions per server, including tools that it no longer has. */
  pins: 1500,
  /** Refused tools in the status. */
  refusedShown: 50,
  /** Size of one answer, or of all pages of a list together. */
  answerBytes: 8_388_608,
  /** Size of a call's result, which the model reads and the log stores. */
  resultBytes: 1_048_576,
  /** Length of a description, which is part of every prompt. */
  descriptionLength: 10_000,
  /** Questions per call. */
  questions: 50,
  /** Timeout of one request while connecting or listing tools. */
  connectMs: 10_000,
  /** Timeout of the whole handshake. */
  openMs: 30_000,
  /** How long a step waits for the list of tools. */
  listWaitMs: 5000,
  /** How long a new process may leave the modern handshake unanswered before it counts as a legacy server. */
  probeMs: 3000,
  /** The delay before a failed server is retried: the first, and the longest. */
  firstRetryMs: 1000,
  maxRetryMs: 60_000,
  /** When a list of tools is read again, if the server does not say that it changed. */
  listMaxAgeMs: 300_000,
  /** The same for the check just before a call is sent. */
  callListMaxAgeMs: 1000,
  /** When an unused connection is closed. */
  idleMs: 600_000,
  /** How long a call is retried if its server becomes unavailable after the call started. */
  unavailableMs: 86_400_000,
  /** How often a stream that the server closes is reopened: the first times at once, then at an interval. */
  reopen: { atOnce: 3, everyMs: 5000 },
  /** Open clients per tenant for servers of agents as JSON. The one that was unused the longest is closed. */
  clientsPerTenant: 200,
  /** Processes of one stdio server at once. Each call that waits for a person needs another. */
  processes: 4,
} as const
