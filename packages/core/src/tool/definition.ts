/**
 * The definition of a tool as approvers see it, besides its name and the input of the call. It is plain data and stored with the
 * hold, so approvers see the tool as it was when the call was held, even if it changed since.
 */
import { canonical, type Json, type JsonObject } from '../json.ts'
import { sha256 } from '../sha256.ts'
import type { Executor } from './tool-options.ts'

export interface ToolDefinition {
  readonly description: string
  readonly executor: Executor
  /** The JSON Schema of the input, or its hash if the schema is too long to store with every hold. */
  readonly input: Json
  readonly output?: Json
  /** For an HTTP tool: the request. The URL contains the `{fields}` of the input, and no credentials. */
  readonly method?: string
  readonly url?: string
  /** For an HTTP tool from configuration: its headers, with short hashes in place of values and of names of secrets. */
  readonly headers?: Readonly<Record<string, string>>
  /** For a tool of an MCP server: the server's name, and its origin or its command. */
  readonly server?: { readonly name: string; readonly at: string }
  /** The annotations of an MCP server for its tool. */
  readonly annotations?: Json
  readonly task?: string
}

/** A longer schema is replaced by its hash, because every held call would store it. */
const LONGEST_SCHEMA = 8000

export function definitionOf(
  description: string,
  executor: Executor,
  input: JsonObject,
  output: JsonObject | undefined,
): ToolDefinition {
  return { description, executor, input: schemaOrHash(input), ...(output && { output: schemaOrHash(output) }) }
}

function schemaOrHash(schema: JsonObject): Json {
  const text = canonical(schema)
  return text.length > LONGEST_SCHEMA ? `A schema of ${text.length} characters, SHA-256 ${sha256(text)}` : schema
}
