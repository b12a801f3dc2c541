/** The OpenAPI document, and a page to try it: one file of markup, one of style, one of script, all from here. */
import { ok, type Answer } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import { page, script, style } from './docs-page.ts'

export function docsRoutes(document: object): readonly Route[] {
  return [
    file('/api/openapi.json', 'openapi', async () => ok(document)),
    file('/api/docs', 'docs', asset('text/html; charset=utf-8', page)),
    file('/api/docs.js', 'docsScript', asset('text/javascript; charset=utf-8', script)),
    file('/api/docs.css', 'docsStyle', asset('text/css; charset=utf-8', style)),
  ]
}

function file(path: string, name: string, handle: () => Promise<Answer>): Route {
  return route({ method: 'get', path, name, tag: 'docs', summary: path, scopes: [], answers: {}, handle })
}

function asset(type: string, text: string): () => Promise<Answer> {
  const headers = { 'content-type': type, 'content-security-policy': POLICY }
  return async () => ({ response: new Response(text, { headers }) })
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
