import { memoryStore } from '@holdpoint/testing'
import { agent, aiSdkModel, holdpoint, tool, type JsonObject } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { anthropic } from '../packages/models/test/vendors/anthropic.ts'
import { vendorServer } from '../packages/models/test/vendors/server.ts'

const read = (name: string) =>
  tool({ name, description: 'Reads', input: z.object({ page: z.number() }), run: ({ input }) => `Page ${input.page}` })

test('over fifty turns, each request to Anthropic starts with the previous one and has at most three cache marks', async () => {
  await using server = await vendorServer()
  const desk = agent({
    name: 'desk',
    model: aiSdkModel(anthropic.model(server.url)),
    instructions: 'You keep books.',
    tools: [read('b'), read('a')],
  })
  const runtime = await holdpoint({ store: memoryStore({ now: Date.now }), agents: [desk] })
  for (let nth = 0; nth < 50; nth++) {
    if (nth % 3) server.answer({ body: anthropic.calls({ id: `c${nth}`, name: 'a', input: { page: nth } }) })
    server.answer({ body: anthropic.says(`Answer ${nth}.`) })
    await runtime.send('books', `Question ${nth}`)
  }
  await runtime.close()

  const bodies = server.asked.map(({ body }) => body as JsonObject)
  expect(bodies).toHaveLength(83)
  const plain = bodies.map((body) => JSON.stringify(body['messages']).replaceAll(',"cache_control":{"type":"ephemeral"}', '')) // prettier-ignore
  for (const [nth, body] of bodies.entries()) {
    expect(JSON.stringify(body).match(/"cache_control"/g)!.length).toBeLessThanOrEqual(3)
    const { messages: _, ...rest } = body
    // The marks in the instructions included.
    expect(JSON.stringify(rest)).toBe(JSON.stringify({ ...bodies[0], messages: undefined }))
    if (nth > 0) expect(plain[nth]!.startsWith(plain[nth - 1]!.slice(0, -1))).toBe(true)
  }
})
