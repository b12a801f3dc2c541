/**
 * What a handler may come back with: a value, an error, a question whose answer is the result, an end to the turn; or
 * word that it is not done, with what it needs to go on (`ask`, `later`). Then the same call runs again, and nothing of
 * it stays in memory until it does.
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

/** What a handler wants to know before it goes on. */
export interface Question {
  readonly prompt: string
  /** What an answer must look like, for a client that renders a form. Without it, any answer fits. */
  readonly schema?: JsonObject
  /** Where the person does what is asked, in place of a form. */
  readonly url?: string
  readonly metadata?: Json
  /** Kept with the question, and handed back with the answer. */
  readonly state?: Json
}

/** Returned by `ask`: the call becomes a hold, and runs again with what was said. */
export class Ask {
  readonly question: Question
  constructor(question: Question) {
    this.question = question
  }
}

/** When a handler wants to look again, and what it needs to know then. */
export interface Later {
  readonly after: Duration
  readonly state?: Json
  /** Shown to people who look at waiting calls. */
  readonly reason?: string
}

/** Returned by `later`: the call waits for something outside, and runs again when the time has come. */
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

/** Returned by `toolError`: a failure the tool foresaw, told to the model without a stack. */
export class ToolError {
  readonly message: string
  readonly details: Json | undefined
  constructor(message: string, details?: Json) {
    this.message = message
    this.details = details
  }
}

/** Returned by `skip`: there was nothing to do, so the turn ends, and is forgotten if nothing was done in it. */
export class Skip {
  readonly skipped: true = true
}

export type Special = AskUser | Ask | LookLater | Halt | ToolError | Skip
export type HandlerResult<R> = R | Special | Promise<R | Special>
/** A handler may be an async generator: what it yields is progress, and what it returns is the result. */
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
