import {
  toolDefiner,
  type AnySchema,
  type DefineTool,
  type Infer,
  type ServerToolOptions,
  type Tool,
} from '@holdpoint/core'
import { compileJsonSchema } from './json-schema.ts'

/** Declares a tool: its name, description and input, which side runs it, and whether a person must approve first. */
export const tool: DefineTool = toolDefiner(compileJsonSchema)

/** The result of a call of an internal tool. */
export interface InternalResult<Input> {
  readonly success: true
  readonly args: Input
}

/** A tool whose result is its input. The model uses it to show something, and no code runs. */
export function internalTool<I extends AnySchema>(
  options: Omit<ServerToolOptions<I, InternalResult<Infer<I>>>, 'run' | 'executor' | 'onLost' | 'output'>,
): Tool<Infer<I>, InternalResult<Infer<I>>, 'server'> {
  const define = tool as (given: ServerToolOptions<I, InternalResult<Infer<I>>>) => ReturnType<typeof internalTool<I>>
  return define({ visible: false, ...options, run: ({ input }) => ({ success: true, args: input }) })
}
