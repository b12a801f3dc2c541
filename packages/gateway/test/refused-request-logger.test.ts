import { expect, test } from 'vitest'
import type { LogLine } from '../src/gateway-options.ts'
import { kit } from './kit.ts'

test('a client that is refused again and again does not fill the log', async () => {
  const lines: LogLine[] = []
  const here = await kit({
    log: (line) => void lines.push(line),
    limits: { rate: { perSecond: 1e6, burst: 1e6 } },
    now: () => 0,
  })
  for (let nth = 0; nth < 150; nth++) await here.ask('GET', '/api/conversations/none')
  await here.ask('GET', '/api/holds?view=wrong', { as: 'reader' })
  await here.close()
  const refused = lines.filter(({ event }) => event === 'request-refused')
  expect(refused.filter(({ code }) => code === 'not-found')).toHaveLength(100)
  expect(refused.at(-1)).toMatchObject({ code: 'bad-request', tenant: 'acme', status: 422, path: '/api/holds' })
  expect(JSON.stringify(lines)).not.toContain('hp_')
})

test('a secret in the path of a refused request is in no field of its line', async () => {
  const lines: LogLine[] = []
  const here = await kit({ log: (line) => void lines.push(line), secrets: ['sk very-secret'] })
  await here.ask('GET', '/api/conversations/sk%20very-secret')
  await here.ask('GET', '/api/conversations/sk%20ver%79-secret')
  await here.close()
  expect(lines).toMatchObject([
    { conversationId: '[redacted]', path: '/api/conversations/[redacted]' },
    { conversationId: '[redacted]' },
  ])
  expect(JSON.stringify(lines)).not.toContain('sk very-secret')
})
