/** Who must approve, who did, and what the reader may do about it: a card shows no button that would be refused. */
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import type { HoldChanged, Resolution, ResolveResult } from '@holdpoint/client'
import { HoldpointHttpError } from '@holdpoint/client'
import { ApprovalCard, approverWords, HoldCard, type CardHold, type HoldDiscussionHandlers } from '@holdpoint/ui'
import { alerts, click, holdOf, type } from './cards.ts'
import { draw } from './drawn.ts'

const accepts = async (): Promise<ResolveResult> => ({ verdict: 'accepted', message: '' })
const card = (hold: CardHold, discussion?: HoldDiscussionHandlers): ReactNode => (
  <HoldCard hold={hold} onResolve={accepts} {...(discussion && { discussion })} />
)
const buttons = (): readonly string[] =>
  [...document.querySelectorAll('button')].map(({ textContent }) => textContent.trim())

test.each([
  ['approve and reject', { resolve: true, approve: true }, ['Approve', 'Edit…', 'Reject…'], undefined],
  [
    'reject only',
    { resolve: true, approve: false, why: 'You asked for this, so another person must approve it.' },
    ['Reject…'],
    'another person must approve it',
  ],
  [
    'nothing',
    { resolve: false, approve: false, why: 'Only finance may approve this.' },
    [],
    'Only finance may approve this.',
  ],
] as const)('a reader who may %s has these buttons, and is told why not the others', async (_may, may, shown, why) => {
  const page = await draw(card({ ...holdOf(), may }))
  expect(buttons()).toEqual(shown)
  expect(document.querySelector('[data-may] p')?.textContent).toBe(why && may.why)
  if (why !== undefined) expect(page.text()).toContain(why)
})

test('a reader who loses the right while they edit has no form any more', async () => {
  const page = await draw(card({ ...holdOf(), may: { resolve: true, approve: true } }))
  await click('Edit…')
  expect(document.querySelectorAll('form')).toHaveLength(1)
  await page.redraw(card({ ...holdOf(), may: { resolve: false, approve: false, why: 'You approved this already.' } }))
  expect(document.querySelectorAll('form')).toHaveLength(0)
  expect(page.text()).toContain('You approved this already.')
})

test('a question that the reader may not answer has no form, and says for whom it is', async () => {
  const question = holdOf({ kind: 'elicitation', accepts: ['answer', 'reject'], to: ['ada'] })
  const page = await draw(
    card({ ...question, may: { resolve: false, approve: false, why: 'Only ada may answer this.' } }),
  )
  expect(buttons()).toEqual([])
  expect(document.querySelectorAll('form')).toHaveLength(0)
  expect(page.text()).toContain('for ada')
})

test.each<[Partial<CardHold>, string | undefined]>([
  [{}, undefined],
  [{ approvers: 2 }, 'needs 2 people'],
  [{ notRequester: true }, 'needs a person who is not the requester'],
  [{ to: ['ann', 'group:finance'] }, 'needs ann or a person of the group finance'],
  [
    { to: ['group:finance'], approvers: 2, notRequester: true },
    'needs 2 people of the group finance, not the requester',
  ],
  [{ to: ['ann', 'group:finance'], approvers: 2 }, 'needs 2 of these: ann, the group finance'],
  [{ kind: 'elicitation', to: ['key:bot'] }, 'for bot (key)'],
])('%j reads %j', (rule, words) => {
  expect(approverWords(holdOf(rule))).toBe(words)
})

test('a card says who approved this input and for whom, who is missing, and when more people are asked', async () => {
  const hold: CardHold = {
    ...holdOf({
      to: ['group:finance'],
      approvers: 3,
      remindAt: Date.now() + 60_000,
      escalation: { at: Date.now() + 2 * 3_600_000, to: ['group:board', 'ev\u202Ee'] },
    }),
    endorsed: [
      { by: 'ann', inputHash: 'h' },
      { by: 'eve', onBehalfOf: 'bob', via: 'key:slack', inputHash: 'h' },
    ],
    missing: 1,
  }
  const page = await draw(card(hold))
  for (const words of [
    'needs 3 people of the group finance',
    '2 of 3 approved: ann, eve (for bob, with slack (key))',
    '1 more needed',
    'reminder in 1 min',
    'also asks the group board, ev',
    'U+202E',
    'in 2 h',
  ])
    expect(page.text()).toContain(words)
})

test('the person at the screen assigns a hold, unassigns it and comments; a refusal is shown', async () => {
  const said: unknown[] = []
  let answer: HoldChanged = { ok: true }
  const discussion: HoldDiscussionHandlers = {
    me: 'ann',
    onAssign: async (take) => (said.push(take), answer),
    onComment: async (text) => (said.push(text), answer),
  }
  const page = await draw(card(holdOf(), discussion))
  await click('Assign to me')
  await page.redraw(
    card(holdOf({ assignee: 'ann', comments: [{ text: 'Ask\u202E Bob', at: Date.now(), by: 'bob' }] }), discussion),
  )
  expect(page.text()).toContain('Assigned to you.')
  expect(page.text()).toContain('U+202E')
  await click('Unassign me')
  const field = document.querySelector('textarea') as HTMLTextAreaElement
  await type(field, '  Looks right.  ')
  await click('Comment')
  expect(field.value).toBe('')
  await page.redraw(card(holdOf({ assignee: 'bob' }), discussion))
  expect(page.text()).toContain('Assigned to bob.')
  answer = { ok: false, refusal: 'not-allowed', message: 'Call a is for finance.' }
  await click('Assign to me')
  expect(alerts()).toBe('Call a is for finance.')
  expect(said).toEqual([true, false, 'Looks right.', true])
})

test('a reader who may not decide may comment, and has no button to take it on', async () => {
  const discussion: HoldDiscussionHandlers = { me: 'cleo', onAssign: neverAsked, onComment: neverAsked }
  await draw(card({ ...holdOf(), may: { resolve: false, approve: false } }, discussion))
  expect(buttons()).toEqual(['Comment'])
})

const neverAsked = async (): Promise<HoldChanged> => {
  throw new Error('It was asked.')
}

test('a 403 is told as one, with the sentence of the gateway, and not as an answer that may be in', async () => {
  const onResolve = async (_resolution: Resolution): Promise<ResolveResult> => {
    throw new HoldpointHttpError('scope-missing: This needs a resolver.', {
      status: 403,
      problem: {
        type: 't',
        title: 'Not allowed',
        status: 403,
        detail: 'This needs a resolver.',
        code: 'scope-missing',
      },
    })
  }
  await draw(<ApprovalCard hold={holdOf()} onResolve={onResolve} />)
  await click('Approve')
  expect(alerts()).toBe('You may not do this. This needs a resolver.')
})
