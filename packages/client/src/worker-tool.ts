/** The handler of a worker for the calls of one tool. */
import type { Json } from '@holdpoint/core'
import type { ClaimedCall } from '@holdpoint/protocol'

export interface WorkerContext {
  readonly call: ClaimedCall
  /** Aborted when the claim is lost, or when the worker stops and `graceMs` has passed. The result is then not sent. */
  readonly signal: AbortSignal
  /** Publishes progress, if the tool is `streaming`. It may be lost, and never throws. */
  progress(value: Json): Promise<void>
}

export type WorkerTool = { run(input: Json, context: WorkerContext): unknown }['run']
