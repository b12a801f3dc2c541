/**
 * The results of a handler: a value, an error, a question whose answer is the result (`askUser`), or an end to the turn. With `ask`
 * and `later`, the handler is not done: the call becomes a hold, and runs again with the stored state. Until then, nothing of it
 * is in memory.
 */
import type { Duration } from '../duration.ts'
import type { Json, JsonObject } from '../json.ts'

/** Returned by `askUser`: the call becomes a hold, and the person's answer becomes its result. */
export class AskUser {
  readonly prompt: string
  readonly metadata: Json | undefined
  constructor(prompt: string, metadata?: Json) {
    this.prompt = prompt
    this.metadata = metadata
  }
}

/** A handler's question to a person. */
export interface Question {
  readonly prompt: string
  /** The JSON Schema of the answer, for a client that renders a form. Without it, any answer is valid. */
  readonly schema?: JsonObject
  /** A page where the person answers, in place of a form. */
  readonly url?: string
  readonly metadata?: Json
  /** Stored with the question, and returned with the answer. */
  readonly state?: Json
}

/** Returned by `ask`: the call becomes a hold, and runs again with the answer. */
export class Ask {
  readonly question: Question
  constructor(question: Question) {
    this.question = question
  }
}

/** When a handler runs again, and its state until then. */
export interface Later {
  readonly after: Duration
  readonly state?: Json
  /** Shown to people who look at waiting calls. */
  readonly reason?: string
}

/** Returned by `later`: the call waits for an external event, and runs again after the given time. */
export class LookLater {
  readonly later: Later
  constructor(later: Later) {
    this.later = later
  }
}

/** Returned by `halt`: the call settles, and the turn ends once no call of the round is open. */
export class Halt {
  readonly reason: string
  readonly value: Json | undefined
  constructor(reason: string, value?: Json) {
    this.reason = reason
    this.value = value
  }
}

/** Returned by `toolError`: an expected failure. The model reads its message, without a stack. */
export class ToolError {
  readonly message: string
  readonly details: Json | undefined
  constructor(message: string, details?: Json) {
    this.message = message
    this.details = details
  }
}

/** Returned by `skip`: there is nothing to do, so the turn ends. Later prompts leave it out if it did nothing else. */
export class Skip {
  readonly skipped: true = true
}

export type Special = AskUser | Ask | LookLater | Halt | ToolError | Skip
export type HandlerResult<R> = R | Special | Promise<R | Special>
/** A handler may be an async generator: it yields progress, and returns the result. */
export type HandlerReturns<R> = HandlerResult<R> | AsyncGenerator<Json, R | Special>

export function askUser(prompt: string, metadata?: Json): AskUser {
  return new AskUser(prompt, metadata)
}

export function ask(question: Question): Ask {
  return new Ask(question)
}

export function later(options: Later): LookLater {
  return new LookLater(options)
}

export function halt(reason: string, value?: Json): Halt {
  return new Halt(reason, value)
}

export function skip(): Skip {
  return new Skip()
}

export function toolError(message: string, details?: Json): ToolError {
  return new ToolError(message, details)
}
