/** Validates path, query and body against the route's schemas. */
import type { z } from '@hono/zod-openapi'
import { refuse, type RouteAnswer } from './route-answer.ts'
import type { RouteRequest, Route } from './route.ts'

export type ValidatedRequest =
  | { readonly ok: true; readonly value: Pick<RouteRequest, 'params' | 'query' | 'body'> }
  | { readonly ok: false; readonly answer: RouteAnswer }

export function validate(
  route: Route,
  given: { readonly params: unknown; readonly query: URLSearchParams; readonly body: unknown },
): ValidatedRequest {
  const repeated = [...new Set(given.query.keys())].find((name) => given.query.getAll(name).length > 1)
  if (repeated !== undefined) return invalid([{ at: `query.${repeated}`, message: 'is given more than once' }])
  const query = Object.fromEntries(given.query)
  const unexpected = Object.keys(query)[0]
  if (!route.query && unexpected !== undefined)
    return invalid([{ at: `query.${unexpected}`, message: 'is not accepted here' }])
  if (!route.body && !route.lines && given.body !== undefined)
    return invalid([{ at: 'body', message: 'is not accepted here' }])
  const params = check('path', route.params, given.params)
  const search = check('query', route.query, query)
  const body = route.lines ? { value: given.body } : check('body', route.body, given.body)
  const issues = [params, search, body].flatMap((each) => ('issues' in each ? each.issues : []))
  if ('issues' in params || 'issues' in search || 'issues' in body) return invalid(issues)
  return { ok: true, value: { params: params.value, query: search.value, body: body.value } }
}

type Issues = readonly { readonly at: string; readonly message: string }[]

function check(what: string, schema: z.ZodType | undefined, value: unknown): { value: unknown } | { issues: Issues } {
  if (!schema) return { value: undefined }
  const read = schema.safeParse(value)
  if (read.success) return { value: read.data }
  return {
    issues: read.error.issues.map(({ path, message }) => ({ at: [what, ...path].map(String).join('.'), message })),
  }
}

function invalid(issues: Issues): ValidatedRequest {
  const shown = issues.slice(0, 20)
  const detail = shown.map(({ at, message }) => `${at}: ${message}`).join('; ')
  return { ok: false, answer: refuse('bad-request', `The request is invalid: ${detail}.`, { issues: shown }) }
}
