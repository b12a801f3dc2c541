/** A space for the two agents and the user of the console. It is made once; a later start finds it. */
import type { Client } from '@holdpoint/client'
import { FRONT_DESK } from './demo-cycle.ts'

export async function openFrontDesk(client: Client): Promise<void> {
  const made = await client.spaces.create({
    id: FRONT_DESK,
    name: 'Front desk',
    by: 'you',
    members: [{ member: { kind: 'agent', id: 'desk' } }, { member: { kind: 'agent', id: 'books' } }],
  })
  if (!made.ok && made.refusal !== 'id-taken') throw new Error(`The demo has no space: ${made.message}`)
}
