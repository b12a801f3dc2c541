/** Every operation of the OpenAPI document, over a real port: valid, invalid, unauthenticated, wrong scope, wrong tenant. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isProblem } from '@holdpoint/protocol'
import { rows } from './contract-rows.ts'
import { kit, SCOPES, type Kit } from './kit.ts'
import { createFixtures, type Fixtures } from './fixtures.ts'

interface Operation {
  readonly operationId: string
  readonly security?: readonly { readonly bearer: readonly string[] }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

const first = await kit()
const document = (await first.ask('GET', '/api/openapi.json', { as: 'anonymous' })).body
await first.close()

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'api')

const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** Checks that the document describes this response. */
function documented({ path, method, operation }: (typeof operations)[number], status: number, body: unknown): void {
  const response = operation.responses[status]
  expect(response, `${operation.operationId} returns ${status}, which the document does not describe`).toBeDefined()
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  if (response?.content?.[type] === undefined) return
  const pointer = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema']
  const encoded = pointer.map((each) => encodeURIComponent(String(each).replaceAll('~', '~0').replaceAll('/', '~1')))
  const fits = ajv.compile({ $ref: `api#/${encoded.join('/')}` })
  expect(fits(body), `${JSON.stringify(fits.errors)} in ${JSON.stringify(body)}`).toBe(true)
}

test('every operation of the document has a row, and every row an operation', () => {
  expect(operations.map(({ operation }) => operation.operationId).toSorted()).toEqual(Object.keys(rows).toSorted())
  expect(document.openapi).toBe('3.1.0')
})

describe.each(operations)('$method $path', (operation) => {
  const { method } = operation
  const row = rows[operation.operation.operationId]
  const allowed = operation.operation.security?.[0]?.bearer
  let here: Kit
  let scene: Fixtures
  beforeAll(async () => {
    here = await kit({ socket: true })
    scene = await createFixtures(here, 'acme')
  })
  afterAll(() => here.close())
  if (!row) return

  test.runIf(row.invalid)('an invalid request gets a problem that names the field', async () => {
    const { path, body } = row.invalid?.(scene) ?? { path: '' }
    const response = await here.ask(method, path, { body })
    expect(response.status).toBe(row.invalidStatus ?? 422)
    expect(isProblem(response.body)).toBe(true)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    if (allowed) documented(operation, response.status, response.body)
  })

  test.runIf(allowed)('a missing or invalid credential is refused', async () => {
    const { path, body } = row.valid(scene)
    for (const headers of [{}, { authorization: `Bearer hp_${'A'.repeat(43)}` }, { authorization: 'Basic YTpi' }]) {
      const response = await here.ask(method, path, { body, as: 'anonymous', headers })
      expect(response).toMatchObject({ status: 401, body: { code: 'unauthorised' } })
      documented(operation, response.status, response.body)
    }
  })

  test.runIf(allowed)('every other scope is refused', async () => {
    const { path, body } = row.valid(scene)
    for (const as of SCOPES.filter((scope) => !allowed?.includes(scope))) {
      const response = await here.ask(method, path, { body, as })
      expect(response, as).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
      documented(operation, response.status, response.body)
    }
  })

  test.runIf(allowed)('another tenant gets the same response as if the object did not exist', async () => {
    const { path, body } = row.valid(scene)
    const response = await here.ask(method, path, { body, tenant: 'umbrella' })
    if (row.other === 'own') expect(response.status).toBeLessThan(300)
    else expect(response.status).toBe(row.other)
    documented(operation, response.status, response.body)
    const text = JSON.stringify(response.body)
    if (row.other === 'own' && method === 'GET')
      expect(text).not.toMatch(/talk|refunded|shipped|helper|spare|room|stretch|receiver|order/)
  })

  test('a valid request gets the documented response, and a repeated write with one key runs once', async () => {
    const { path, body } = row.valid(scene)
    const response = await here.ask(method, path, { body, key: 'k1' })
    expect(response, JSON.stringify(response.body)).toMatchObject({ status: row.status })
    documented(operation, response.status, response.body)
    if (method === 'GET') return
    const again = await here.ask(method, path, { body, key: 'k1' })
    const { key: _key, secret: _secret, ...shown } = typeof response.body === 'object' ? response.body : { key: '' }
    expect(again.status).toBe(response.status)
    if (response.body !== '') expect(again.body).toMatchObject(shown)
    expect(again.headers.get('idempotency-replayed') ?? again.body.repeated).toBeTruthy()
    expect(row.another, 'a write needs a second, different request').toBeDefined()
    const { path: elsewhere, body: other } = row.another?.(scene) ?? { path: '' }
    const reused = await here.ask(method, elsewhere, { body: other, key: 'k1' })
    expect(reused).toMatchObject({ status: 422, body: { code: 'key-reused' } })
    documented(operation, 422, reused.body)
  })
})
