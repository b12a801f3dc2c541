/** With an API key in the environment, the agents of `npm start` use that vendor's model, with the same tools. */
import { vendorName } from '@holdpoint/core'
import { memoryStore } from '@holdpoint/testing'
import { holdpoint } from 'holdpoint'
import { expect, test } from 'vitest'
import { deskAndBooks } from '../examples/start/agents.ts'
import { chosenModel } from '../examples/start/model.ts'
import { anthropic } from '../packages/models/test/vendors/anthropic.ts'
import { google } from '../packages/models/test/vendors/google.ts'
import { openaiCompatible } from '../packages/models/test/vendors/openai-chat.ts'
import { openaiResponses } from '../packages/models/test/vendors/openai-responses.ts'
import { vendorServer } from '../packages/models/test/vendors/server.ts'
import type { Vendor } from '../packages/models/test/vendors/vendor.ts'

interface Switch {
  readonly env: Readonly<Record<string, string>>
  readonly vendor: Vendor
  readonly address: RegExp
  readonly key: readonly [header: string, value: string]
  /** The name of the vendor's own search in a request. */
  readonly search?: string
}

const switches: readonly Switch[] = [
  {
    env: { OPENAI_API_KEY: 'k-openai' },
    vendor: openaiResponses,
    address: /^https:\/\/api\.openai\.com\/v1\/responses$/,
    key: ['authorization', 'Bearer k-openai'],
    search: '"web_search"',
  },
  {
    env: { ANTHROPIC_API_KEY: 'k-anthropic' },
    vendor: anthropic,
    address: /^https:\/\/api\.anthropic\.com\/v1\/messages$/,
    key: ['x-api-key', 'k-anthropic'],
    search: '"web_search_20250305"',
  },
  {
    env: { GOOGLE_GENERATIVE_AI_API_KEY: 'k-google', HOLDPOINT_MODEL: 'gemini-of-mine' },
    vendor: google,
    address: /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/models\/gemini-of-mine:stream/,
    key: ['x-goog-api-key', 'k-google'],
  },
  {
    env: { OPENAI_BASE_URL: 'http://llama.test/v1', OPENAI_API_KEY: 'k-own' },
    vendor: openaiCompatible,
    address: /^http:\/\/llama\.test\/v1\/chat\/completions$/,
    key: ['authorization', 'Bearer k-own'],
  },
]

test.each(switches)('with $env the agent uses that vendor, and its e-mail waits for approval', async (each) => {
  const { env, vendor, address, key, search } = each
  await using server = await vendorServer()
  const addresses: string[] = []
  const redirected: typeof fetch = (input, init) => {
    const url = new Request(input).url
    addresses.push(url)
    return fetch(url.replace(/^https?:\/\/[^/]+/, server.url), init)
  }
  const runtime = await holdpoint({
    store: memoryStore({ now: Date.now }),
    agents: deskAndBooks(await chosenModel(env, redirected)),
  })
  const mail = { to: 'ada@example.org', subject: 'The report', body: 'It is ready.' }
  server.answer({ body: vendor.calls({ id: 'call_1', name: vendorName('email.send'), input: mail }) })
  server.answer({ body: vendor.says('It ', 'is out.') })

  const held = await runtime.send('c', 'Write to Ada that the report is ready', { agent: 'desk' })
  expect(held).toMatchObject({ status: 'held', holds: [{ name: 'email.send', input: mail }] })
  await runtime.approve('c', held.holds[0]?.callId ?? '')
  expect(await runtime.continue('c')).toMatchObject({ status: 'done', text: 'It is out.' })

  expect(addresses).toHaveLength(2)
  for (const url of addresses) expect(url).toMatch(address)
  const [first, second] = server.asked
  expect(first?.headers[key[0]]).toBe(key[1])
  expect(vendor.readTools(first?.body).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['email.send', 'budget.ask', 'parcel.ship', 'chart.show'].map(vendorName)),
  )
  if (search !== undefined) expect(JSON.stringify(first?.body)).toContain(search)
  expect(JSON.stringify(vendor.readResults(second?.body))).toContain('ada@example.org')
  await runtime.close()
})

test('without an API key the model is the scripted one, and no vendor is called', async () => {
  const { model } = await chosenModel({}, () => Promise.reject(new Error('asked')))
  expect(model.id).toBe('demo/scripted')
})
