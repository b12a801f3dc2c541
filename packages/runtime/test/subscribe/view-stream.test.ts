import { Session, tool, type StreamItem } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { applyFrame } from '@holdpoint/core/internal/live/view-live'
import { messagesOf, type ViewMessage } from '@holdpoint/core/internal/live/view-messages'
import { holdsOf } from '@holdpoint/core/internal/live/view-turns-and-holds'
import { applyEvent, emptyView, viewOf } from '@holdpoint/core/internal/live/view'
import { call, desk, idOf } from '../../../../test/kit/session-kit.ts'

const send = tool({
  name: 'email.send',
  description: 'Sends',
  input: z.object({ to: z.string() }),
  approval: 'required',
  streaming: true,
  run: ({ input, progress }) => {
    progress('half')
    return `sent to ${input.to}`
  },
})
const scripts = [
  { reasoning: 'hm', text: 'One moment.', calls: [call('email.send', { to: 'ada' })] },
  'Ada knows.',
] as const

function told(message: ViewMessage | undefined): string {
  if (message?.role !== 'assistant') return ''
  const parts = message.parts.map((part) => {
    if (part.type !== 'call') return 'text' in part ? part.text : part.type
    return part.call.state + (part.call.progress === undefined ? '' : JSON.stringify(part.call.progress))
  })
  return parts.join('|')
}

test('what a real conversation streams builds the view of its log, showing every piece on the way', async () => {
  const session = await Session.open(desk(scripts, { tools: [send] }).agent)
  let view = emptyView
  const seen: string[] = []
  const watch = (item: StreamItem): void => {
    view = 'seq' in item ? applyEvent(view, item) : applyFrame(view, item)
    // The approval event was missed: the next event shows the gap.
    if (view.behind !== undefined) view = viewOf(session.events.slice(view.seq), [], view)
    const now = told(messagesOf(view).at(-1))
    if (now !== seen.at(-1)) seen.push(now)
  }
  await session.send('Tell Ada', { watch })
  expect(view.status).toBe('held')
  const holds = session.holds.map((hold) => ({ ...hold, heldAt: hold.expiresAt - hold.timeoutMs }))
  expect(holdsOf(view)).toEqual(holds)

  await session.approve(idOf(session, 'email.send'), { input: { to: 'bob' } })
  await session.continue({ watch })
  expect(view).toEqual(viewOf(session.events))
  expect(view.turns[0]?.steps[0]?.calls[0]).toMatchObject({ input: { to: 'bob' }, outcome: { value: 'sent to bob' } })
  expect(seen).toEqual([
    '',
    'hm',
    'hm|One ',
    'hm|One moment.',
    'hm|One moment.|{"to":"ada"}',
    'hm|One moment.|ready',
    'hm|One moment.|held',
    'hm|One moment.|running',
    'hm|One moment.|running"half"',
    'hm|One moment.|settled',
    'hm|One moment.|settled|Ada ',
    'hm|One moment.|settled|Ada knows.',
  ])
})
