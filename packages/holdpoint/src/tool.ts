import {
  toolDefiner,
  type AnySchema,
  type DefineTool,
  type Infer,
  type ServerToolOptions,
  type Tool,
} from '@holdpoint/core'
import { compileJsonSchema } from './json-schema.ts'

/** Declares a tool: name, description, input, who carries it out, and whether somebody must agree first. */
export const tool: DefineTool = toolDefiner(compileJsonSchema)

/** A tool whose result is its own arguments: the model shows something, and nothing is to be done. */
export function internalTool<I extends AnySchema>(
  options: Omit<ServerToolOptions<I, Infer<I>>, 'run' | 'executor' | 'onLost' | 'output'>,
): Tool<Infer<I>, Infer<I>, 'server'> {
  return tool<I, Infer<I>>({ visible: false, ...options, run: ({ input }) => input })
}
