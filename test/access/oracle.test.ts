/**
 * Random people of two tenants do random things in conversations and spaces, over HTTP, SSE, MCP and the client SDK, while
 * time passes, groups change and calls are escalated. The rules are written once more
 * below, and every answer is compared with them: no person sees, answers or counts where the rules say no.
 */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { counted } from './asking.ts'
import { Walk } from './walk.ts'
import { openWorld } from './world.ts'

/** `ACCESS_WALKS=500` walks for longer. */
const WALKS = Number(process.env['ACCESS_WALKS'] ?? 20)

const NEVER_ALLOWED = [
  'continue over MCP',
  'approve twice',
  'enter a space over MCP',
  'post as another',
  'read a space as a conversation',
  'read a space that does not exist',
  'read what does not exist',
  'list what is erased',
  'read what is erased',
  'hold of what is erased',
  'read a file of another tenant',
  'search another tenant',
]

async function walk(seed: number, steps: number): Promise<void> {
  const world = await openWorld(seed)
  try {
    const walking = new Walk(seed, world)
    for (let n = 0; n < steps; n++) await walking.step()
  } finally {
    await world.close()
  }
}

test(
  proves('access.only-their-own', 'whatever people of two tenants do, each answer is what the rules say'),
  { timeout: 120_000 },
  async () => {
    for (let seed = 1; seed <= WALKS; seed++) await walk(seed, 210)
    // Every kind of request was allowed and refused, so that the comparison means something.
    for (const [what, { allowed, refused }] of Object.entries(counted)) {
      if (!NEVER_ALLOWED.includes(what)) expect([what, allowed > 5]).toEqual([what, true])
      expect([what, refused > 5]).toEqual([what, true])
    }
  },
)
