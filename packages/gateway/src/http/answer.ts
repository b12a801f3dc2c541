/** What a route answers, before it becomes a Response. */
import { problem, type Problem, type ProblemCode } from '@holdpoint/protocol'

export type Answer =
  | {
      readonly status: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
      /** Not part of what is kept for a repeated request. */
      readonly secret?: Readonly<Record<string, unknown>>
    }
  /** As it is: streams and pages. */
  | { readonly response: Response }

export function ok(body: unknown, status = 200): Answer {
  return { status, body }
}

export function no(
  code: ProblemCode,
  detail: string,
  more: { readonly issues?: Problem['issues']; readonly headers?: Readonly<Record<string, string>> } = {},
): Answer & { readonly status: number } {
  const { issues, headers } = more
  const body = problem(code, detail, issues ? { issues } : {})
  return { status: body.status, body, ...(headers && { headers }) }
}

export function page<T>({ items, next }: { readonly items: readonly T[]; readonly next: string | undefined }): Answer {
  return ok(next === undefined ? { items } : { items, next })
}
