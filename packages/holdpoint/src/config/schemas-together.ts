/** Limits the total size of an agent's schemas. The limits of one schema are in `json-schema/inspect-schema.ts`. */
import type { Json } from '@holdpoint/core'
import { isObject, listOf, wrong, type Read } from './fields.ts'

const MOST_CHARS = 256 * 1024
const MOST_NODES = 8000

export const schemasTogether: Read<void> = (tools, path) => {
  let chars = 0
  let nodes = 0
  listOf((each) => {
    for (const schema of isObject(each) ? [each['inputSchema'], each['outputSchema']] : [])
      if (schema !== undefined) {
        chars += JSON.stringify(schema).length
        nodes += nodesOf(schema)
      }
  }, Infinity)(tools, path)
  const split = 'Give some of the tools to another agent'
  if (chars > MOST_CHARS)
    throw wrong(path, `their schemas are ${chars} characters together, and ${MOST_CHARS} are allowed. ${split}`)
  if (nodes > MOST_NODES)
    throw wrong(path, `their schemas have ${nodes} nodes together, and ${MOST_NODES} are allowed. ${split}`)
}

/** Counts objects, arrays and booleans, which can be schemas. */
function nodesOf(value: Json): number {
  if (typeof value === 'boolean') return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, each) => sum + nodesOf(each), 1)
}
