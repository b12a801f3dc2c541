/**
 * Where a command works: a gateway by its URL and a key, or a store. For a store, a gateway runs inside this process and
 * without a port, so each command has one implementation. It drives nothing: what a command starts is done by the processes
 * that serve the store.
 */
import { existsSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { agent, holdpoint, openStore, type Agent, type Model } from 'holdpoint'
import { connect, type Client } from '@holdpoint/client'
import { gateway, loadProgram } from '@holdpoint/gateway'
import { UsageError, type Io } from './io.ts'

export interface PlaceOptions {
  readonly url?: string
  readonly key?: string
  readonly store?: string
  readonly app?: string
  readonly tenant?: string
}

export interface Place {
  readonly client: Client
  readonly where: string
  close(): Promise<void>
}

export async function openPlace(given: PlaceOptions, { env }: Pick<Io, 'env'>): Promise<Place> {
  const { url = given.store === undefined ? env['HOLDPOINT_URL'] : undefined, store } = given
  if (url !== undefined && store !== undefined) throw new UsageError('Give --url or --store, not both.')
  if (store !== undefined) return openStorePlace(store, given)
  if (url !== undefined) return gatewayPlace(url, given.key ?? env['HOLDPOINT_KEY'], given.tenant)
  const fallback = env['HOLDPOINT_STORE']
  if (fallback !== undefined) return openStorePlace(fallback, given)
  throw new UsageError(
    'Say where: --url https://holds.acme.test with --key, or --store desk.db. HOLDPOINT_URL, HOLDPOINT_KEY and HOLDPOINT_STORE do the same.',
  )
}

function gatewayPlace(url: string, key: string | undefined, tenant: string | undefined): Place {
  if (!URL.canParse(url)) throw new UsageError(`"${url}" is not the URL of a gateway.`)
  if (key === undefined) throw new UsageError('Give a key of the gateway: --key, or HOLDPOINT_KEY.')
  const client = connect({ url, key, ...(tenant !== undefined && { tenant }) })
  return { client, where: url, close: async () => {} }
}

async function openStorePlace(location: string, { app, tenant = '' }: PlaceOptions): Promise<Place> {
  // A wrong path must not become a new, empty store.
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(location) && !existsSync(location))
    throw new UsageError(`There is no file ${location}.`)
  const store = await openStore(location)
  try {
    const program = app === undefined ? undefined : await (await loadProgram(app))(store)
    const runtime = await holdpoint({
      store,
      drive: false,
      rules: true,
      agents: program?.agents ?? [],
      agentFor: async (_tenant, name) => withoutTools(name),
      onProblem: () => {},
    })
    const key = `cli-${randomBytes(24).toString('base64url')}`
    const served = gateway({
      runtime,
      store,
      ...(program && { agents: program.agents }),
      auth: { keys: [{ key, tenant, scopes: ['admin'], mayActFor: true }] },
    })
    const client = connect({
      url: 'http://localhost',
      key,
      fetch: (address, init) => served.fetch(new Request(address, init)),
    })
    const close = async (): Promise<void> => {
      await served.close()
      await runtime.close()
      await store.close()
    }
    return { client, where: location.replace(/\/\/[^@/]*@/, '//'), close }
  } catch (error) {
    await store.close()
    throw error
  }
}

const made = new Map<string, Agent>()

/** Stands for an agent of the program: it can be told yes and no. An answer is refused, because no tool is here to check it. */
function withoutTools(name: string): Agent {
  const known = made.get(name) ?? agent({ name, model: NO_MODEL, tools: [] })
  made.set(name, known)
  return known
}

const NO_MODEL: Model = {
  id: 'none',
  // oxlint-disable-next-line require-yield
  async *stream() {
    throw new Error('This process has no model.')
  },
}
