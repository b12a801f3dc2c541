/**
 * The third kind of error: something is broken, and it is thrown. What a tool came to is an outcome, and an ordinary
 * no is a refusal; both are values and live elsewhere. Every message says what, which one, and what to do next.
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
  /** The model's vendor could not be reached, or said no for good. */
  | 'model-failed'
  /** A tool or plugin asked for a service that was not provided. */
  | 'service-missing'
  /** A store cannot be opened, or would not keep what it is given. */
  | 'store-unusable'
  /** A store does not answer now. What was asked for may or may not have happened. */
  | 'store-unavailable'
  /** A conversation belongs to an agent that is not here. */
  | 'agent-missing'
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

/** The text of anything that was thrown, whatever it is: it is stored, and shown to models and people. */
export function messageOf(error: unknown): string {
  try {
    const { message, name } = error instanceof Error ? error : { message: error, name: undefined }
    for (const text of [message, name]) if (typeof text === 'string' && text !== '') return text
    return JSON.stringify(message) ?? String(message)
  } catch {
    return 'an error that cannot be printed'
  }
}

/** For operators: the error and what caused it. What an error carries besides its message, such as a request, stays out. */
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
