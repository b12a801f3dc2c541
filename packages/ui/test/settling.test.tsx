/** Cards that have just appeared or changed accept no answer. */
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import type { Resolution, ResolveResult, ViewHold } from '@holdpoint/client'
import { ApprovalCard, HoldCard } from '@holdpoint/ui'
import { button, click, clickAtOnce, holdOf, settle, type } from './cards.ts'
import { draw } from './drawn.ts'

test('a card that has just appeared or changed accepts no answer and says so', async () => {
  const given: Resolution[] = []
  const onResolve = async (resolution: Resolution): Promise<ResolveResult> => {
    given.push(resolution)
    return { verdict: 'invalid', message: 'no' }
  }
  const card = (hold: ViewHold): ReactNode => <ApprovalCard hold={hold} onResolve={onResolve} />
  const page = await draw(card(holdOf()))
  await clickAtOnce('Approve')
  expect(given).toEqual([])
  expect(page.text()).toContain('Not answered: this has just appeared, moved or changed.')
  expect(button('Approve').getAttribute('aria-disabled')).toBe('true')
  await settle()
  await page.redraw(card(holdOf({ inputHash: 'another' })))
  await clickAtOnce('Approve')
  await settle()
  // After one more approval, the next one makes the call run.
  await page.redraw(card(holdOf({ inputHash: 'another', approvers: 3, endorsedBy: ['eve'] })))
  await clickAtOnce('Approve')
  await clickAtOnce('Edit…')
  await clickAtOnce('Approve unchanged')
  await clickAtOnce('Back')
  await clickAtOnce('Reject…')
  await clickAtOnce('Reject')
  expect(given).toEqual([])
  await click('Reject')
  expect(given).toEqual([{ kind: 'reject' }])
})

test('a form that has just appeared accepts no answer', async () => {
  const given: Resolution[] = []
  const hold = holdOf({ kind: 'elicitation', accepts: ['answer', 'reject'], input: { question: 'Why?' } })
  await draw(
    <HoldCard
      hold={hold}
      onResolve={async (resolution) => {
        given.push(resolution)
        return { verdict: 'accepted', message: '' }
      }}
    />,
  )
  await type(document.querySelector('textarea') as HTMLTextAreaElement, 'Because')
  await clickAtOnce('Answer')
  await clickAtOnce('Decline')
  expect(given).toEqual([])
  await click('Answer')
  expect(given).toEqual([{ kind: 'answer', value: 'Because' }])
})

test('without ResizeObserver, a card is drawn and keeps its place after the answer', async () => {
  expect(globalThis).not.toHaveProperty('ResizeObserver')
  const onResolve = async (): Promise<ResolveResult> => ({ verdict: 'accepted', message: '' })
  const page = await draw(<HoldCard hold={holdOf()} onResolve={onResolve} />)
  expect(page.text()).toContain('Approve')
  await page.redraw(<HoldCard hold={holdOf()} onResolve={onResolve} gone />)
  expect(document.querySelectorAll('[data-kept]')).toHaveLength(1)
})
