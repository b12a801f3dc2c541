/** A handler written as an async generator: what it yields is progress, what it returns is the result. */
import type { Json } from '../json.ts'
import type { ToolContext } from './context.ts'
import type { HandlerResult, HandlerReturns, Special } from './handler-result.ts'

/** The handler as everything else calls it: with a result now or later. */
export function withProgress<R>(
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

/** A call that is over has its generator ended at the next `yield`, so that `finally` runs. */
async function followed<R>(generator: AsyncGenerator<Json, R | Special>, context: ToolContext): Promise<R | Special> {
  for (;;) {
    const step = await generator.next()
    if (step.done === true) return step.value
    if (context.signal.aborted) await generator.return(undefined as R)
    else context.progress(step.value)
  }
}
