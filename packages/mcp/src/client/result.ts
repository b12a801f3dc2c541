/** What an MCP tool gave back, as our tools give things back: a value, or an error the model can read. */
import { toolError, type HandlerResult, type Json } from '@holdpoint/core'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { LIMITS } from './limits.ts'

export function valueOf(result: CallToolResult): Awaited<HandlerResult<Json>> {
  const text = textOf(result)
  if (result.isError) return toolError(text?.slice(0, LIMITS.resultBytes) || 'The tool failed, and does not say why.')
  const value = (result.structuredContent ?? text ?? { content: result.content }) as Json
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > LIMITS.resultBytes)
    return toolError(`The result is ${bytes} bytes long, and ${LIMITS.resultBytes} are taken. Ask for less of it.`)
  return value
}

/** Undefined when there is more than text to it. */
function textOf({ content, isError }: CallToolResult): string | undefined {
  const parts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return parts.length === content.length || isError ? parts.join('\n') : undefined
}
