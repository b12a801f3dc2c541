import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import type { PendingHold } from '@holdpoint/client'
import { HoldpointProvider, useHolds, type HoldsState } from '@holdpoint/react'
import { act, draw, fakeGateway, talk } from './page.ts'

const hold = (callId: string): PendingHold =>
  ({ conversationId: 'c1', callId, name: 'refund', agent: 'desk', kind: 'approval', nth: 2 }) as PendingHold

test('the list follows open holds, and an answer names the hold that was shown', async () => {
  const gateway = fakeGateway(talk(0).view)
  let state: HoldsState | undefined
  function Inbox(): ReactNode {
    state = useHolds({ kind: 'approval' })
    return state.loading ? 'loading' : state.holds.map(({ callId }) => callId).join()
  }
  const page = await draw(
    <HoldpointProvider client={gateway.client}>
      <Inbox />
      <Inbox />
    </HoldpointProvider>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(page.text()).toBe('')
  gateway.holds = [hold('a'), hold('b')]
  await gateway.changed()
  expect(page.text()).toBe('a,ba,b')
  const [first] = state?.holds ?? []
  gateway.holds = [hold('a')]
  await gateway.changed()
  expect(page.text()).toBe('aa')
  expect(state?.holds[0]).toBe(first)

  await state?.approve(hold('a'), { by: 'grace' })
  await state?.reject(hold('a'), 'Too much')
  await state?.answer(hold('a'), { amount: 5 })
  expect(gateway.answers).toEqual([
    { kind: 'approve', by: 'grace', hold: 2 },
    { kind: 'reject', reason: 'Too much', hold: 2 },
    { kind: 'answer', value: { amount: 5 }, hold: 2 },
  ])
  await state?.assign(hold('a'))
  await state?.release(hold('a'), { by: 'grace' })
  await state?.comment(hold('a'), 'Looks right')
  await state?.resolveMany([{ ...hold('a'), resolution: { kind: 'approve' } }])
  expect(gateway.answers.slice(3)).toEqual([
    { hold: 2 },
    { assignee: null, by: 'grace', hold: 2 },
    { text: 'Looks right', hold: 2 },
    { kind: 'approve', hold: 2 },
  ])
  expect(gateway.asked.filter((asked) => asked === 'GET /api/changes')).toHaveLength(1)
})
