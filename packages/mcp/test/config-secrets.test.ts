/** Secrets in the headers of MCP servers of an agent as JSON. */
import type { JsonObject } from '@holdpoint/core'
import { scriptedModel } from '@holdpoint/testing'
import { agentFromConfig, envSecrets, holdpoint, type ConfigEnv } from 'holdpoint'
import { afterEach, expect, test } from 'vitest'
import { ECHO, rawServer, said, type Raw } from '../../../test/raw-mcp-server.ts'
import { mcpServers, type McpServersOptions } from '../src/index.ts'
import { calling, storeInMemory } from './kit.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}

const ENV = { TRACKER: 'Bearer of-acme', DATABASE_URL: 'Bearer of-the-operator' }
const secrets = envSecrets({ acme: ['TRACKER'] }, ENV)

async function server(): Promise<Raw> {
  const raw = keep(await rawServer({ 'tools/call': () => said('fine') }))
  raw.tools = [ECHO]
  return raw
}

/** An agent as JSON calls its server, with the secrets that the operator offers. */
async function talk(
  raw: Raw,
  tenant: string,
  { $secret, as = (servers) => ({ mcpServers: servers }) }: Naming,
  offer: Omit<ConfigEnv, 'tenant' | 'mcp' | 'models'>,
  own: Omit<McpServersOptions, 'store' | 'privateHosts'> = {},
): Promise<string> {
  const store = storeInMemory()
  const mcp = keep(mcpServers({ store, privateHosts: [new URL(raw.url).host], ...own }))
  const servers = [{ name: 's', url: raw.url, headers: { authorization: { $secret } } }]
  const models = { small: scriptedModel([...calling('s.echo', { text: 'hi' })]) }
  const made = agentFromConfig({ name: 'a', model: 'small', ...as(servers) }, { models, mcp, tenant, ...offer })
  const runtime = keep(await holdpoint({ store, agents: [made] }))
  await runtime.tenant(tenant).send('c', 'Hi')
  return JSON.stringify([await runtime.tenant(tenant).events('c'), await mcp.status(tenant)])
}

interface Naming {
  readonly $secret: string
  readonly as?: (servers: readonly JsonObject[]) => object
}

const sentTo = (raw: Raw): ReadonlySet<string | undefined> =>
  new Set(raw.asked.map(({ headers }) => headers.authorization))

test.each<[string, Naming['as']]>([
  ['mcpServers', undefined],
  ['mcp.servers', (servers) => ({ mcp: { servers } })],
])('a secret of the tenant is sent as a header to a server in %s, and is in no log', async (_, as) => {
  const raw = await server()
  const all = await talk(raw, 'acme', { $secret: 'TRACKER', ...(as && { as }) }, { secrets })
  expect(sentTo(raw)).toEqual(new Set(['Bearer of-acme']))
  expect(all).toContain('fine')
  expect(all).not.toContain('of-acme')
})

test('an environment variable that is not listed for the tenant is never sent', async () => {
  for (const [tenant, $secret] of [
    ['acme', 'DATABASE_URL'],
    ['umbrella', 'TRACKER'],
  ] as const) {
    const raw = await server()
    const all = await talk(raw, tenant, { $secret }, { secrets })
    expect(raw.asked).toEqual([])
    expect(all).toContain(`There is no secret \\"${$secret}\\"`)
  }
})

test("a tenant's server cannot use the secrets of the operator's servers", async () => {
  const raw = await server()
  const every = { secrets: (_: string, name: string) => ENV[name as keyof typeof ENV] }
  await talk(raw, 'acme', { $secret: 'DATABASE_URL' }, { secrets }, every)
  expect(raw.asked).toEqual([])
  await expect(talk(raw, 'acme', { $secret: 'DATABASE_URL' }, {}, every)).rejects.toThrow(
    'agent.mcpServers[0].headers.authorization.$secret: refers to a secret, and the operator offers none.',
  )
})

test('a secret reference is valid only in headers and only with a name', async () => {
  const raw = await server()
  const inUrl = talk(
    raw,
    'acme',
    { $secret: 'TRACKER', as: () => ({ mcpServers: [{ url: { $secret: 'A' } }] }) },
    { secrets },
  )
  await expect(inUrl).rejects.toThrow(
    'agent.mcpServers[0].url.$secret: refers to a secret, which only the value of a header may do',
  )
  await expect(talk(raw, 'acme', { $secret: 'no name' }, { secrets })).rejects.toThrow(
    'agent.mcpServers[0].headers.authorization.$secret: must be the name of a secret',
  )
})
