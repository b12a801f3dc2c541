/** The OpenAPI document, and a page to try the API: HTML, CSS and JavaScript, without external resources. */
import { ok, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { page, script, style } from './docs-page.ts'

/** Building the document takes a tenth of the gateway's start time, so the first request for it builds it. */
export function docsRoutes(makeDocument: () => object): readonly Route[] {
  let document: object | undefined
  return [
    file('/api/openapi.json', 'openapi', async () => ok((document ??= makeDocument()))),
    file('/api/docs', 'docs', asset('text/html; charset=utf-8', page)),
    file('/api/docs.js', 'docsScript', asset('text/javascript; charset=utf-8', script)),
    file('/api/docs.css', 'docsStyle', asset('text/css; charset=utf-8', style)),
  ]
}

function file(path: string, name: string, handle: () => Promise<RouteAnswer>): Route {
  return route({ method: 'get', path, name, tag: 'docs', summary: path, scopes: [], responses: {}, handle })
}

function asset(type: string, text: string): () => Promise<RouteAnswer> {
  const headers = { 'content-type': type, 'content-security-policy': POLICY }
  return async () => ({ response: new Response(text, { headers }) })
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
