/** `next`, in which everything that equals its counterpart in `before` is that object. Items of lists are found by `keyOf`. */
export function shared<T>(before: unknown, next: T): T {
  if (Object.is(before, next) || !isObject(before) || !isObject(next)) return next
  if (Array.isArray(before) !== Array.isArray(next)) return next
  const known: (key: string) => unknown = Array.isArray(before) ? byIdentity(before) : (key) => before[key]
  const made = Object.entries(next).map(
    ([key, value]) => [key, shared(known(Array.isArray(next) ? keyOf(value, key) : key), value)] as const,
  )
  const same = made.length === Object.keys(before).length && made.every(([key, value]) => before[key] === value)
  if (same) return before as T
  return (Array.isArray(next) ? made.map(([, value]) => value) : Object.fromEntries(made)) as T
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** An item keeps its identity when others before it go away. */
function byIdentity(items: readonly unknown[]): (key: string) => unknown {
  const known = new Map(items.map((item, index) => [keyOf(item, String(index)), item]))
  return (key) => known.get(key)
}

function keyOf(item: unknown, index: string): string {
  if (!isObject(item)) return index
  const { conversationId, callId, id, name } = item
  return JSON.stringify([conversationId, callId, id, name]) ?? index
}
