/**
 * What an approver is shown of a tool beside its name and the input of the call. It is plain data, so it is written with
 * the hold: the approver sees what the tool was when the call was held, also after the tool was changed.
 */
import { canonical, type Json, type JsonObject } from '../json.ts'
import { sha256 } from '../sha256.ts'
import type { Executor } from './tool-options.ts'

export interface ToolDefinition {
  readonly description: string
  readonly executor: Executor
  /** The JSON Schema of the input, or the hash of a schema that is too long to be kept with every hold. */
  readonly input: Json
  readonly output?: Json
  /** Of an HTTP tool: what is requested. The url has the `{fields}` of the input in it, and no credentials. */
  readonly method?: string
  readonly url?: string
  /** Of an HTTP tool that is JSON: its headers, with short hashes in place of values and of names of secrets. */
  readonly headers?: Readonly<Record<string, string>>
  /** Of a tool of an MCP server: the server's name, and its origin or the name of its command. */
  readonly server?: { readonly name: string; readonly at: string }
  /** What an MCP server says of its tool besides. */
  readonly annotations?: Json
  readonly task?: string
}

/** A longer schema would make the log grow with every call that is held. */
const LONGEST_SCHEMA = 8000

export function definitionOf(
  description: string,
  executor: Executor,
  input: JsonObject,
  output: JsonObject | undefined,
): ToolDefinition {
  return { description, executor, input: brief(input), ...(output && { output: brief(output) }) }
}

function brief(schema: JsonObject): Json {
  const text = canonical(schema)
  return text.length > LONGEST_SCHEMA ? `A schema of ${text.length} characters, SHA-256 ${sha256(text)}` : schema
}
