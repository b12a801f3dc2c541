/** Every operation of the OpenAPI document, in all the ways it can be asked, over a real port. A route without a row fails. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isProblem } from '@holdpoint/protocol'
import { rows } from './contract-rows.ts'
import { kit, SCOPES, type Kit } from './kit.ts'
import { sceneOf, type Scene } from './scene.ts'

interface Operation {
  readonly operationId: string
  readonly security?: readonly { readonly bearer: readonly string[] }[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

const first = await kit()
const document = (await first.ask('GET', '/api/openapi.json', { as: 'nobody' })).body
await first.close()

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'api')

const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** Whether an answer is one that the document tells of. */
function documented({ path, method, operation }: (typeof operations)[number], status: number, body: unknown): void {
  const response = operation.responses[status]
  expect(response, `${operation.operationId} answers ${status}, which the document does not tell of`).toBeDefined()
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  if (response?.content?.[type] === undefined) return
  const pointer = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema']
  const encoded = pointer.map((each) => encodeURIComponent(String(each).replaceAll('~', '~0').replaceAll('/', '~1')))
  const fits = ajv.compile({ $ref: `api#/${encoded.join('/')}` })
  expect(fits(body), `${JSON.stringify(fits.errors)} in ${JSON.stringify(body)}`).toBe(true)
}

test('every operation of the document has its row, and every row its operation', () => {
  expect(operations.map(({ operation }) => operation.operationId).toSorted()).toEqual(Object.keys(rows).toSorted())
  expect(document.openapi).toBe('3.1.0')
})

describe.each(operations)('$method $path', (operation) => {
  const { method } = operation
  const row = rows[operation.operation.operationId]
  const allowed = operation.operation.security?.[0]?.bearer
  let here: Kit
  let scene: Scene
  beforeAll(async () => {
    here = await kit({ socket: true })
    scene = await sceneOf(here, 'acme')
  })
  afterAll(() => here.close())
  if (!row) return

  test.runIf(row.invalid)('what does not fit is refused with a problem that says where', async () => {
    const { path, body } = row.invalid?.(scene) ?? { path: '' }
    const told = await here.ask(method, path, { body })
    expect(told.status).toBe(row.invalidStatus ?? 422)
    expect(isProblem(told.body)).toBe(true)
    expect(told.headers.get('content-type')).toBe('application/problem+json')
    if (allowed) documented(operation, told.status, told.body)
  })

  test.runIf(allowed)('nobody gets in without a credential, or with one that is none', async () => {
    const { path, body } = row.valid(scene)
    for (const headers of [{}, { authorization: `Bearer hp_${'A'.repeat(43)}` }, { authorization: 'Basic YTpi' }]) {
      const told = await here.ask(method, path, { body, as: 'nobody', headers })
      expect(told).toMatchObject({ status: 401, body: { code: 'unauthorised' } })
      documented(operation, told.status, told.body)
    }
  })

  test.runIf(allowed)('every scope that is not named is refused', async () => {
    const { path, body } = row.valid(scene)
    for (const as of SCOPES.filter((scope) => !allowed?.includes(scope))) {
      const told = await here.ask(method, path, { body, as })
      expect(told, as).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
      documented(operation, told.status, told.body)
    }
  })

  test.runIf(allowed)('another tenant is told what it would be told if there were nothing', async () => {
    const { path, body } = row.valid(scene)
    const told = await here.ask(method, path, { body, tenant: 'umbrella' })
    if (row.other === 'own') expect(told.status).toBeLessThan(300)
    else expect(told.status).toBe(row.other)
    documented(operation, told.status, told.body)
    const text = JSON.stringify(told.body)
    if (row.other === 'own' && method === 'GET')
      expect(text).not.toMatch(/talk|refunded|shipped|helper|spare|room|stretch/)
  })

  test('what fits is answered as the document says, and the same write under one key is done once', async () => {
    const { path, body } = row.valid(scene)
    const told = await here.ask(method, path, { body, key: 'k1' })
    expect(told, JSON.stringify(told.body)).toMatchObject({ status: row.status })
    documented(operation, told.status, told.body)
    if (method === 'GET') return
    const again = await here.ask(method, path, { body, key: 'k1' })
    const { key: _key, ...shown } = typeof told.body === 'object' ? told.body : { key: '' }
    expect(again.status).toBe(told.status)
    if (told.body !== '') expect(again.body).toMatchObject(shown)
    expect(again.headers.get('idempotency-replayed') ?? again.body.repeated).toBeTruthy()
    expect(row.another, 'a write needs another request to tell apart').toBeDefined()
    const { path: elsewhere, body: other } = row.another?.(scene) ?? { path: '' }
    const reused = await here.ask(method, elsewhere, { body: other, key: 'k1' })
    expect(reused).toMatchObject({ status: 422, body: { code: 'key-reused' } })
    documented(operation, 422, reused.body)
  })
})
