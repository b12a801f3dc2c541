/** Secrets by reference: they reach the service, and nothing else. */
import { scriptedModel } from '@holdpoint/testing'
import { agentFromConfig, chat, toolFromConfig, type ConfigEnv, type ToolConfig } from 'holdpoint'
import { expect, test } from 'vitest'
import { serve } from './http-tool-kit.ts'

const SECRET = 'Bearer s3cr3t/"quoted"-token'

function config(port: number, more: Partial<ToolConfig> = {}): ToolConfig {
  return {
    name: 'orders.list',
    description: 'List the orders',
    inputSchema: { type: 'object' },
    executionType: 'gateway',
    execution: { url: `http://127.0.0.1:${port}/`, headers: { Authorization: { $secret: 'ORDERS' }, 'X-V': '1' } },
    ...more,
  }
}

/** Runs one call of it, and returns everything that others could see. */
async function told(env: ConfigEnv, tool: ToolConfig) {
  const model = scriptedModel([{ calls: [{ name: tool.name, input: {} }] }, 'done'])
  const made = agentFromConfig(
    { name: 'desk', model: 'm', tools: [tool], audit: true },
    { ...env, models: { m: model }, privateHosts: ['127.0.0.1'] },
  )
  const result = await chat(made, 'go')
  const { session, steps, holds } = result
  const all = JSON.stringify([session.events, session.toJSON(), model.requests, holds])
  return { all, outcome: steps[0]?.calls[0]?.outcome, session }
}

test('a secret is asked for by tenant and name when the call is made, and sent as it is', async () => {
  const server = await serve((_, response) => void response.end('[]'))
  const asked: string[] = []
  const secrets: ConfigEnv['secrets'] = async (tenant, name) => (asked.push(`${tenant}/${name}`), SECRET)
  toolFromConfig(config(server.port), { secrets, privateHosts: ['127.0.0.1'] })
  expect(asked).toEqual([])

  const { all, outcome } = await told({ tenant: 'acme', secrets }, config(server.port))

  expect(outcome).toMatchObject({ ok: true })
  expect(asked).toEqual(['acme/ORDERS'])
  expect(server.seen[0]?.headers).toMatchObject({ authorization: SECRET, 'x-v': '1' })
  expect(all).not.toContain('s3cr3t')
})

test.each([200, 500])(
  'a service that repeats it (%i) does not get it into the log, the prompt or the error',
  async (status) => {
    const server = await serve((request, response) => {
      const { authorization = '' } = request.headers
      const body = {
        [authorization]: 1,
        said: `I got ${authorization}.`,
        part: authorization.split(' ')[1],
        in: [encodeURIComponent(authorization)],
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })

    const { all, outcome } = await told({ secrets: () => SECRET }, config(server.port))

    expect(all).not.toContain('s3cr3t')
    expect(JSON.stringify(outcome)).toContain('I got [secret ORDERS].')
  },
)

test('a gated call shows neither the secret nor its value to the approver', async () => {
  const server = await serve((_, response) => void response.end('[]'))
  const { all } = await told({ secrets: () => SECRET }, config(server.port, { approval: 'required' }))
  expect(all).toContain('call.held')
  expect(all).not.toContain('s3cr3t')
  expect(all).not.toContain('ORDERS')
})

test('a secret that is not there is named, and nothing is sent', async () => {
  const server = await serve((_, response) => void response.end('[]'))
  const { outcome } = await told({ secrets: () => undefined }, config(server.port))
  const message = 'There is no secret "ORDERS". The operator must add it.'
  expect(outcome).toMatchObject({ ok: false, error: { message } })
  expect(server.seen).toEqual([])
})

test.each<[what: string, secrets: NonNullable<ConfigEnv['secrets']>]>([
  ['cannot be sent', () => `${SECRET}\r\nX-Evil: 1`],
  ['is not found', () => Promise.reject(new Error(`no entry for ${SECRET}`))],
])('a secret that %s is not told either', async (_what, secrets) => {
  const server = await serve((_, response) => void response.end('[]'))
  const { all, outcome } = await told({ secrets }, config(server.port))
  expect(outcome).toMatchObject({ ok: false })
  expect(all).not.toContain('s3cr3t')
  expect(server.seen).toEqual([])
})

test.each<[what: string, header: object, env: ConfigEnv, message: string]>([
  [
    'where there are none',
    { $secret: 'KEY' },
    {},
    'Authorization.$secret: refers to a secret, and the operator offers none.',
  ],
  ['of a strange name', { $secret: '../KEY' }, { secrets: () => '' }, 'Authorization.$secret: must be the name of a'],
  ['of no name', { $secret: 7 }, { secrets: () => '' }, 'Authorization.$secret: must be text, not a number.'],
  ['with more to it', { $secret: 'KEY', or: 'x' }, { secrets: () => '' }, 'Authorization.or: is not known.'],
])('a reference to a secret %s is refused', (_what, header, env, message) => {
  const execution = { url: 'https://api.test/', headers: { Authorization: header } }
  expect(() => toolFromConfig({ ...config(1), execution }, env)).toThrow(`tool.execution.headers.${message}`)
})
