/** Each card names the people, agents, triggers or plans that caused the call. */
import { expect, test } from 'vitest'
import type { ResolveResult, ViewHold } from '@holdpoint/client'
import { askedByWords, HoldCard } from '@holdpoint/ui'
import { holdOf } from './cards.ts'
import { draw } from './drawn.ts'

const onResolve = async (): Promise<ResolveResult> => ({ verdict: 'accepted', message: '' })
const askedBy = [{ via: 'message', by: 'ada' }] as const

test.each(['approval', 'elicitation', 'client', 'external'] as const)(
  'a card of kind %s names the author of the call',
  async (kind) => {
    const page = await draw(<HoldCard hold={holdOf({ kind, askedBy })} onResolve={onResolve} />)
    expect(page.text()).toContain('asked by ada')
    await page.redraw(<HoldCard hold={holdOf({ kind })} onResolve={onResolve} />)
    expect(page.text()).not.toContain('asked by')
  },
)

test.each<[ViewHold['askedBy'], string | undefined]>([
  [undefined, undefined],
  [[{ via: 'message' }], undefined],
  [[{ via: 'message', by: 'key:nightly' }], 'nightly (key)'],
  [[{ via: 'space', by: 'ada', kind: 'human', space: 'lobby' }], 'ada in lobby'],
  [[{ via: 'space', by: 'scout', kind: 'agent', space: 'lobby' }], 'agent scout in lobby'],
  [[{ via: 'trigger' }, { via: 'plan' }], 'a trigger, its own plan'],
  [
    [
      { via: 'message', by: 'ada' },
      { via: 'trigger', by: 'ada' },
      { via: 'trigger', by: 'shop' },
    ],
    'ada, shop',
  ],
])('%j reads %j', (authors, words) => {
  expect(askedByWords({ ...(authors && { askedBy: authors }) })).toBe(words)
})
