/**
 * Errors that are thrown, because something is broken. The failure of a tool is an outcome, and an ordinary no is a refusal:
 * both are values. Each message says what is wrong, where, and what to do next.
 */
export type FailureCode =
  /** A tool's declaration is wrong. */
  | 'tool-invalid'
  /** An agent, a plugin or a call's options are wrong. */
  | 'config-invalid'
  /** Saved data is not a session of ours, or was changed by hand. */
  | 'session-invalid'
  /** The log says something that cannot have happened. */
  | 'history-impossible'
  /** Stored events or rows of one log were changed or lost: by a disk, or by another program. */
  | 'log-damaged'
  /** The store has lost writes that it had acknowledged: an older state was restored, or a fail-over lost the newest. */
  | 'store-rolled-back'
  /** The model's vendor could not be reached, or refused the request for good. */
  | 'model-failed'
  /** A tool or plugin asked for a service that was not provided. */
  | 'service-missing'
  /** Another server answers than before: after a fail-over or a restore. What is in memory was compared with it. */
  | 'store-replaced'
  /** A store cannot be opened, or would lose data. */
  | 'store-unusable'
  /** A store does not answer now. The request may or may not have been carried out. */
  | 'store-unavailable'
  /** The agent of a conversation is missing in this process. */
  | 'agent-missing'
  /** A file is too large, empty, or of a type that is not allowed. */
  | 'file-refused'
  /** The tenant may not store or use more. */
  | 'quota-exceeded'
  /** This runtime was closed. */
  | 'closed'

export class HoldpointError extends Error {
  readonly code: FailureCode
  /** Recognised across copies of the package, where `instanceof` fails. */
  readonly isHoldpointError: true = true

  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options as ErrorOptions)
    this.name = 'HoldpointError'
    this.code = code
  }

  static is(value: unknown): value is HoldpointError {
    return value instanceof Error && 'isHoldpointError' in value && value.isHoldpointError === true
  }
}

/** The message of any thrown value. It is stored, and shown to models and people. */
export function messageOf(error: unknown): string {
  try {
    const { message, name } = error instanceof Error ? error : { message: error, name: undefined }
    for (const text of [message, name]) if (typeof text === 'string' && text !== '') return text
    return JSON.stringify(message) ?? String(message)
  } catch {
    return 'an error that cannot be printed'
  }
}

/** For operators: the messages of an error and its causes. Other fields of an error, such as a request, are left out. */
export function messageWithCauses(error: unknown): string {
  const messages: string[] = []
  for (let each = error; each !== undefined && messages.length < MOST_CAUSES; each = causeOf(each)) {
    const message = messageOf(each)
    if (!messages.some((said) => said.includes(message))) messages.push(message)
  }
  return messages.join(' Caused by: ')
}

const MOST_CAUSES = 8

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? undefined) : undefined
}
