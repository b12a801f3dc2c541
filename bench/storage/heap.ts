/** The bytes in memory that are still reachable, after a garbage collection. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

export function heap(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  for (let nth = 0; nth < 4; nth++) collect()
  return process.memoryUsage().heapUsed
}
