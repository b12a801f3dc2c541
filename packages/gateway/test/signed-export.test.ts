/** An export with hashes over HTTP, for those who may read the conversation. */
import { generateKeyPairSync } from 'node:crypto'
import { fingerprintsOf, signingKey, verifyExport } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { kit, type Kit, type KitOptions } from './kit.ts'

const key = signingKey({
  pem: String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
})

async function opened(more: KitOptions = {}): Promise<Kit> {
  const here = await kit({ program: { signing: { key } }, signingKey: key, ...more })
  onTestFinished(here.close)
  return here
}

async function exported({ url, api, key: keyOf }: Kit, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${keyOf('acme', 'admin')}` }
  return (await api.fetch(new Request(`${url}${path}`, { headers }))).text()
}

test('a conversation and a whole tenant are exported with hashes, and the file is checked with the public key', async () => {
  const here = await opened()
  for (const id of ['c1', 'c2'])
    await here.ask('POST', `/api/conversations/${id}/messages?wait=5`, { body: { content: 'refund 5' } })
  const { body: keys } = await here.ask('GET', '/api/signing-keys', { as: 'reader' })
  expect(keys).toMatchObject({ current: key.key, items: [{ key: key.key, publicKey: key.publicKey }] })
  const trusted = fingerprintsOf(keys.items[0].publicKey)!
  for (const path of ['/api/conversations/c1/export?hashes=true', '/api/export?hashes=true']) {
    const text = await exported(here, path)
    const report = await verifyExport([Buffer.from(text)], { keys: trusted })
    expect(report.problems).toEqual([])
    expect(report.logs.map(({ tenant }) => tenant)).toContain('acme')
  }
  const heads = await here.ask('GET', '/api/conversations/c1/signed-heads', { as: 'reader' })
  expect(heads.body.items[0].text).toContain('\nid: "c1"\n')
  expect((await here.ask('GET', '/api/export?hashes=true', { as: 'reader' })).status).toBe(403)
  expect((await here.ask('GET', '/api/export?hashes=yes')).status).toBe(422)
})

test('what holds a secret of the gateway is left out of an export with hashes, and the check names it', async () => {
  const here = await opened({ secrets: ['hunter22'] })
  await here.ask('POST', '/api/conversations/c1/messages?wait=5', { body: { content: 'My password is hunter22' } })
  const text = await exported(here, '/api/conversations/c1/export?hashes=true')
  expect(text).not.toContain('hunter22')
  const { problems } = await verifyExport([Buffer.from(text)])
  expect(problems.map(({ message }) => message).join()).toContain('The gateway left out the events')
})
