/** What a handler may come back with: a value, an error, a question for a person, or an end to the turn. */
import type { Json } from '../json.ts'

/** Returned by `askUser`: the call becomes a hold, and the person's answer becomes its result. */
export class AskUser {
  readonly prompt: string
  readonly metadata: Json | undefined
  constructor(prompt: string, metadata?: Json) {
    this.prompt = prompt
    this.metadata = metadata
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

export type Special = AskUser | Halt | ToolError | Skip
export type HandlerResult<R> = R | Special | Promise<R | Special>

export function askUser(prompt: string, metadata?: Json): AskUser {
  return new AskUser(prompt, metadata)
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
