/**
 * One page over several tenants, oldest first. The cursor of the page has the cursor of each tenant after its last shown
 * row, as the store gave it. So a row is neither repeated nor left out when rows before it go away.
 */
import type { Page } from '@holdpoint/core'
import { z } from '../schemas.ts'

/** `null`: the tenant has no more rows. A tenant that is absent starts at its first row. */
const positions = z.record(z.string(), z.string().nullable())
type Positions = Readonly<Record<string, string | null>>

interface Row {
  readonly heldAt: number
}

interface Head<T> {
  readonly row: T
  readonly next: string | null
}

/** How many tenants are read at the same time. */
const GROUP = 20

/** Undefined when the cursor is not the `next` of an earlier page. */
export async function mergedPage<T extends Row>(
  tenants: readonly string[],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  /** The first row after the cursor, and the cursor after it. The row may be missing although there are more. */
  readOne: (tenant: string, after: string | undefined) => Promise<Page<T>>,
): Promise<Page<T & { readonly tenant: string }> | undefined> {
  const start = after === undefined ? {} : decoded(after)
  if (!start) return undefined
  const at = new Map<string, string | null>(Object.entries(start))
  const heads = new Map<string, Head<T>>()
  const advance = async (tenant: string): Promise<void> => {
    const head = await headOf(tenant, at.get(tenant), readOne)
    if (head) heads.set(tenant, head)
    else heads.delete(tenant)
  }
  for (let from = 0; from < tenants.length; from += GROUP)
    await Promise.all(tenants.slice(from, from + GROUP).map(advance))
  const items: (T & { readonly tenant: string })[] = []
  while (items.length < limit) {
    const oldest = tenants
      .filter((tenant) => heads.has(tenant))
      .toSorted((a, b) => heldAt(heads, a) - heldAt(heads, b))[0]
    const head = oldest === undefined ? undefined : heads.get(oldest)
    if (oldest === undefined || !head) return { items, next: undefined }
    items.push({ ...head.row, tenant: oldest })
    at.set(oldest, head.next)
    await advance(oldest)
  }
  return { items, next: heads.size > 0 ? encoded(Object.fromEntries(at)) : undefined }
}

async function headOf<T extends Row>(
  tenant: string,
  from: string | null | undefined,
  readOne: (tenant: string, after: string | undefined) => Promise<Page<T>>,
): Promise<Head<T> | undefined> {
  let after = from
  while (after !== null) {
    const { items, next } = await readOne(tenant, after)
    const [row] = items
    after = next ?? null
    if (row) return { row, next: after }
  }
  return undefined
}

function heldAt<T extends Row>(heads: ReadonlyMap<string, Head<T>>, tenant: string): number {
  return heads.get(tenant)?.row.heldAt ?? Infinity
}

function encoded(at: Positions): string {
  return Buffer.from(JSON.stringify(at)).toString('base64url')
}

function decoded(cursor: string): Positions | undefined {
  try {
    return positions.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString())).data
  } catch {
    return undefined
  }
}
