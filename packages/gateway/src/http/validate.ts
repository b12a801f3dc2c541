/** Whether a request fits what its route takes, and if not, where and why. */
import type { z } from '@hono/zod-openapi'
import { no, type Answer } from './answer.ts'
import type { Asked, Route } from './route.ts'

export type Fits =
  | { readonly ok: true; readonly value: Pick<Asked, 'params' | 'query' | 'body'> }
  | { readonly ok: false; readonly answer: Answer }

export function validate(
  route: Route,
  given: { readonly params: unknown; readonly query: URLSearchParams; readonly body: unknown },
): Fits {
  const twice = [...new Set(given.query.keys())].find((name) => given.query.getAll(name).length > 1)
  if (twice !== undefined) return unfit([{ at: `query.${twice}`, message: 'is given more than once' }])
  const query = Object.fromEntries(given.query)
  const none = Object.keys(query)[0]
  if (!route.query && none !== undefined) return unfit([{ at: `query.${none}`, message: 'is not taken here' }])
  if (!route.body && given.body !== undefined) return unfit([{ at: 'body', message: 'is not taken here' }])
  const params = check('path', route.params, given.params)
  const asked = check('query', route.query, query)
  const body = check('body', route.body, given.body)
  const issues = [params, asked, body].flatMap((each) => ('issues' in each ? each.issues : []))
  if ('issues' in params || 'issues' in asked || 'issues' in body) return unfit(issues)
  return { ok: true, value: { params: params.value, query: asked.value, body: body.value } }
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

function unfit(issues: Issues): Fits {
  const told = issues.slice(0, 20)
  const detail = told.map(({ at, message }) => `${at}: ${message}`).join('; ')
  return { ok: false, answer: no('bad-request', `The request does not fit: ${detail}.`, { issues: told }) }
}
