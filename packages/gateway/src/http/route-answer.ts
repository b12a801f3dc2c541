/** The answer of a route, before it becomes a Response. */
import { problem, type Problem, type ProblemCode } from '@holdpoint/protocol'
import type { TextStream } from './text-stream.ts'

export type RouteAnswer =
  | {
      readonly status: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
      /** Fields that are sent once. They are not stored for a repeated request. */
      readonly secret?: Readonly<Record<string, unknown>>
    }
  /** Pages: sent unchanged. */
  | { readonly response: Response }
  | { readonly stream: TextStream; readonly headers: Readonly<Record<string, string>> }

export function ok(body: unknown, status = 200): RouteAnswer {
  return { status, body }
}

export function refuse(
  code: ProblemCode,
  detail: string,
  more: { readonly issues?: Problem['issues']; readonly headers?: Readonly<Record<string, string>> } = {},
): RouteAnswer & { readonly status: number } {
  const { issues, headers } = more
  const body = problem(code, detail, issues ? { issues } : {})
  return { status: body.status, body, ...(headers && { headers }) }
}

export function page<T>({
  items,
  next,
}: {
  readonly items: readonly T[]
  readonly next: string | undefined
}): RouteAnswer {
  return ok(next === undefined ? { items } : { items, next })
}
