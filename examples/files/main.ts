import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, tool } from 'holdpoint'
import { z } from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-files-'))
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)
const model = scriptedModel(['A pixel.', { calls: [{ name: 'orders', input: {} }] }, 'These are many orders.'])

// #region limits
const orders = tool({
  name: 'orders',
  description: 'List all orders',
  input: z.object({}),
  maxResultBytes: 10_000, // a larger result is stored as a file
  run: () => Array.from({ length: 1000 }, (_, id) => ({ id, state: 'sent' })),
})
const runtime = await holdpoint({
  store: join(folder, 'desk.db'), // the files are in desk.db-files
  agents: [agent({ name: 'desk', model, tools: [orders] })],
  files: { maxBytes: 5_000_000, mediaTypes: ['image/*', 'application/pdf', 'text/*'] },
})
// #endregion

// #region send
const photo = await runtime.files.upload(picture, { mediaType: 'image/png', name: 'photo.png', by: 'ada' })
await runtime.send('talk', [{ type: 'text', text: 'What is this?' }, photo.part], { by: 'ada' })
// #endregion
assert.equal(model.requests.length, 1)
assert.match(JSON.stringify(model.requests[0]?.prompt), /"kind":"base64"/)

await runtime.send('talk', 'Which orders are there?', { by: 'ada' })

// #region read
for (const file of await runtime.files.of('talk')) {
  let bytes = 0
  for await (const piece of runtime.files.read(file)) bytes += piece.length
  console.log(file.name, file.mediaType, bytes)
}
// #endregion
assert.equal((await runtime.files.of('talk')).length, 2)

await assert.rejects(runtime.files.upload(picture, { mediaType: 'video/mp4' }), { reason: 'type' })
await runtime.erase('talk')
assert.deepEqual(await runtime.files.of('talk'), [])
await runtime.close()
rmSync(folder, { recursive: true })
