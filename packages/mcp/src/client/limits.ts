/** What a server may cost at most. Each is far above what servers do, and far below what hurts. */
export const LIMITS = {
  /** Tools of one server. */
  tools: 500,
  /** Pages a list may come in. */
  pages: 32,
  /** Tools that one server has ever had: their definitions are kept, also of those that are gone. */
  pins: 1500,
  /** Tools that are not offered, as they are told of. */
  refusedShown: 50,
  /** Of any one answer; of all pages of a list together. */
  answerBytes: 8_388_608,
  /** Of what a call gives back, as it is told to the model and kept in the log. */
  resultBytes: 1_048_576,
  /** Of a description, which is sent with every prompt. */
  descriptionLength: 10_000,
  /** Questions of one call, one after the other. */
  questions: 50,
  /** How long a server is waited for when it is connected to, or asked for its tools. */
  connectMs: 10_000,
  /** How long all of connecting may take, with every message that belongs to it. */
  openMs: 30_000,
  /** How long the first step of an agent waits for a server to tell its tools. */
  patienceMs: 5000,
  /** How long a process that was just started may say nothing to the newer protocol before it is taken for an older server. */
  probeMs: 3000,
  /** How long a server that did not answer is left alone: the first time, and at most. */
  firstPauseMs: 1000,
  longestPauseMs: 60_000,
  /** How old a list of tools may be when the server does not say that it changed. */
  listMs: 300_000,
  /** How long a line is kept that nobody uses. */
  idleMs: 600_000,
  /** How long a server is waited for that was there when a call began, and is away when it is to go on. */
  awayMs: 86_400_000,
  /** How often a stream that the server closes is opened again: so often at once, and then at these intervals. */
  reopened: { atOnce: 3, everyMs: 5000 },
  /** Servers of agents as JSON that a tenant has in use at once; the one that rested longest makes room. */
  serversInUse: 200,
  /** Processes of one stdio server at once: one more for each call that waits for a person. */
  processes: 4,
} as const
