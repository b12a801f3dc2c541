/** Webhooks in: a service wakes an autonomous agent with a signed request to `/triggers/{id}`. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseJson } from '@holdpoint/core'
import { HoldpointError, type Json, type Runtime, type Store } from 'holdpoint'
import { Webhook } from 'standardwebhooks'
import { readText } from './read-text.ts'

export interface TriggerHook {
  readonly id: string
  /** The autonomous agent that it wakes. */
  readonly agent: string
  /** The name of the trigger, as the agent reads it. */
  readonly name: string
  /** `standard`: Standard Webhooks. `github`: `X-Hub-Signature-256`. */
  readonly scheme: 'standard' | 'github'
  readonly createdAt: number
}

interface StoredHook extends TriggerHook {
  readonly tenant: string
  readonly secret: string
}

/** In one tenant of the store: the caller's tenant is known only after its signature was checked. */
const TENANT = ''
const HOOK = 'channels.trigger'
/** The hooks of a tenant, for lists. */
const OF_TENANT = 'channels.trigger-of'
const MOST = 100
const MOST_BYTES = 1_000_000

export class Triggers {
  readonly #store: Store
  readonly #runtime: Runtime
  readonly #now: () => number

  constructor(store: Store, runtime: Runtime, now: () => number) {
    this.#store = store
    this.#runtime = runtime
    this.#now = now
  }

  /** The secret is returned once. */
  async create(
    tenant: string,
    { agent, name, scheme = 'standard' }: Pick<TriggerHook, 'agent' | 'name'> & Partial<Pick<TriggerHook, 'scheme'>>,
  ): Promise<TriggerHook & { readonly secret: string }> {
    if ((await this.list(tenant)).length >= MOST)
      throw new HoldpointError('config-invalid', `A tenant has at most ${MOST} triggers.`)
    const id = `tr_${randomBytes(12).toString('base64url')}`
    const secret =
      scheme === 'standard' ? `whsec_${randomBytes(32).toString('base64')}` : randomBytes(32).toString('hex')
    const hook: TriggerHook = { id, agent, name, scheme, createdAt: this.#now() }
    const row: StoredHook = { ...hook, tenant, secret }
    await this.#store.put({ tenant, kind: OF_TENANT, id, expected: 0, data: hook as unknown as Json })
    await this.#store.put({ tenant: TENANT, kind: HOOK, id, expected: 0, data: row as unknown as Json })
    return { ...hook, secret }
  }

  async list(tenant: string): Promise<readonly TriggerHook[]> {
    const { items } = await this.#store.documents({ tenant, kind: OF_TENANT, limit: MOST })
    return items.map(({ data }) => data as unknown as TriggerHook)
  }

  /** False when there is none. */
  async remove(tenant: string, id: string): Promise<boolean> {
    if (!(await this.#store.get(tenant, OF_TENANT, id))) return false
    await this.#store.put({ tenant: TENANT, kind: HOOK, id, data: undefined })
    await this.#store.put({ tenant, kind: OF_TENANT, id, data: undefined })
    return true
  }

  /** The same answer for a wrong id and a wrong signature. A request that comes twice wakes the agent once. */
  async receive(id: string, request: Request): Promise<Response> {
    const doc = await this.#store.get(TENANT, HOOK, id)
    const body = await readText(request, MOST_BYTES)
    if (body === undefined) return answer(413, 'The body is too large.')
    const hook = doc && (doc.data as unknown as StoredHook)
    const message = hook && verified(hook, request.headers, body)
    if (!message) return answer(401, 'The signature is missing, too old or wrong.')
    const data = parseJson(body)
    if (!data.ok) return answer(400, 'The body is not JSON.')
    const woken = await this.#runtime
      .tenant(hook.tenant)
      .agents.trigger(hook.agent, { id: `${id}:${message}`, name: hook.name, data: data.value, by: `trigger:${id}` })
    return woken.ok ? answer(202, 'Accepted.') : answer(409, woken.message)
  }
}

/** The id of the message, if its signature is right. */
function verified(hook: StoredHook, headers: Headers, body: string): string | undefined {
  if (hook.scheme === 'github') {
    const wanted = Buffer.from(`sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`)
    const given = Buffer.from(headers.get('x-hub-signature-256') ?? '')
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
    return headers.get('x-github-delivery') ?? undefined
  }
  try {
    new Webhook(hook.secret).verify(body, Object.fromEntries(headers))
    return headers.get('webhook-id') ?? undefined
  } catch {
    return undefined
  }
}

function answer(status: number, detail: string): Response {
  return Response.json({ detail }, { status, headers: { 'cache-control': 'no-store' } })
}
