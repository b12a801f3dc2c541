import {
  toolDefiner,
  type AnySchema,
  type DefineTool,
  type Infer,
  type ServerToolOptions,
  type Tool,
} from '@holdpoint/core'
import { compileJsonSchema } from './json-schema.ts'

/** Declares a tool: name, description, input, who carries it out, and whether a person must approve first. */
export const tool: DefineTool = toolDefiner(compileJsonSchema)

/** What a call of an internal tool comes to. */
export interface InternalResult<Input> {
  readonly success: true
  readonly args: Input
}

/** A tool whose result is its own arguments: the model shows something, and nothing is to be done. */
export function internalTool<I extends AnySchema>(
  options: Omit<ServerToolOptions<I, InternalResult<Infer<I>>>, 'run' | 'executor' | 'onLost' | 'output'>,
): Tool<Infer<I>, InternalResult<Infer<I>>, 'server'> {
  const define = tool as (given: ServerToolOptions<I, InternalResult<Infer<I>>>) => ReturnType<typeof internalTool<I>>
  return define({ visible: false, ...options, run: ({ input }) => ({ success: true, args: input }) })
}
