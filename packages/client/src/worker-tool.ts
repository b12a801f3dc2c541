/** What carries a claimed call out. */
import type { Json } from '@holdpoint/core'
import type { ClaimedCall } from '@holdpoint/protocol'

export interface WorkerContext {
  readonly call: ClaimedCall
  /** Aborted when the claim is lost, or when the worker stops and waits no longer: the result is not wanted from here. */
  readonly signal: AbortSignal
  /** Shown to those who watch the conversation, if the tool is `streaming`. Never throws: it may be lost. */
  progress(value: Json): Promise<void>
}

export type WorkerTool = { run(input: Json, context: WorkerContext): unknown }['run']
