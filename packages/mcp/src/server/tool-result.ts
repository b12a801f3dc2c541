/** A call's outcome as an MCP tool result. A tool that returns MCP content blocks has them passed through. */
import { isObject, type CallOutcome, type Json } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/server'

export function toolResult(outcome: CallOutcome): CallToolResult {
  if (!outcome.ok) return failure(outcome.error.message)
  const { value } = outcome
  if (isContent(value)) return value as unknown as CallToolResult
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { content: [{ type: 'text', text }], ...(isObject(value) && { structuredContent: value }) }
}

export function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function isContent(value: Json): boolean {
  if (!isObject(value) || !Array.isArray(value['content'])) return false
  return value['content'].every((block: Json) => isObject(block) && typeof block['type'] === 'string')
}
