/**
 * Runs synchronous code and interrupts it when its time is up: in the middle of a regular expression too, which no
 * check between steps could do. V8 can only do this below a `node:vm` script, so one line of script calls the work; it
 * is no sandbox. It costs about 0.6 ms (a watchdog thread), a thousandth of asking a model.
 */
import { createContext, Script, type Context } from 'node:vm'

export class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

const call = new Script('work()')
let context: Context | undefined

export function withinTime<T>(ms: number, work: () => T): T {
  let result: { readonly value: T } | undefined
  context ??= createContext(Object.create(null))
  const outer: unknown = context['work']
  context['work'] = () => {
    result = { value: work() }
  }
  try {
    call.runInContext(context, { timeout: ms, displayErrors: false })
  } catch (error) {
    // Not `instanceof Error`: the timeout's error is made in the script's own realm.
    if (
      typeof error === 'object' &&
      error !== null &&
      'code' in error &&
      error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    ) {
      throw new TooSlow(`not done within ${ms} ms`)
    }
    throw error
  } finally {
    context['work'] = outer
  }
  if (!result) throw new TooSlow('the work did not end')
  return result.value
}
