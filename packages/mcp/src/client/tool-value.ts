/** The result of an MCP tool as the value of one of our tools, or as an error for the model. */
import { toolError, type HandlerResult, type Json } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { LIMITS } from './limits.ts'

export function toolValue(result: CallToolResult): Awaited<HandlerResult<Json>> {
  const text = textOf(result)
  if (result.isError) return toolError(text?.slice(0, LIMITS.resultBytes) || 'The tool failed without a message.')
  const value = (result.structuredContent ?? text ?? { content: result.content }) as Json
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > LIMITS.resultBytes)
    return toolError(`The result has ${bytes} bytes, and the limit is ${LIMITS.resultBytes}. Request less data.`)
  return value
}

/** Undefined if the result contains more than text. */
function textOf({ content, isError }: CallToolResult): string | undefined {
  const parts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return parts.length === content.length || isError ? parts.join('\n') : undefined
}
