/** Runs a handler that is an async generator: it yields progress and returns the result. */
import type { Json } from '../json.ts'
import type { ToolContext } from './context.ts'
import type { HandlerResult, HandlerReturns, Special } from './handler-result.ts'

/** Turns the handler into a function that returns its result, or a promise of it. */
export function runProgressGenerator<R>(
  run: (context: ToolContext<never>) => HandlerReturns<R>,
): (context: ToolContext) => HandlerResult<R> {
  return (context) => {
    const returned = run(context as ToolContext<never>)
    return isGenerator(returned) ? followed(returned, context) : returned
  }
}

function isGenerator<R>(returned: HandlerReturns<R>): returned is AsyncGenerator<Json, R | Special> {
  if (typeof returned !== 'object' || returned === null) return false
  return Symbol.asyncIterator in returned && 'next' in returned && 'return' in returned
}

/** When the call is aborted, the generator is ended at its next `yield`, so that its `finally` blocks run. */
async function followed<R>(generator: AsyncGenerator<Json, R | Special>, context: ToolContext): Promise<R | Special> {
  for (;;) {
    const step = await generator.next()
    if (step.done === true) return step.value
    if (context.signal.aborted) await generator.return(undefined as R)
    else context.progress(step.value)
  }
}
