import { StrictMode, memo, type ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import type { SpaceView } from '@holdpoint/client'
import { HoldpointProvider, useSpace, type SpaceState } from '@holdpoint/react'
import { act, draw, event, fakeGateway, frame } from './page.ts'

const view: SpaceView = {
  name: 'Office',
  from: 1,
  seq: 2,
  members: [],
  active: [],
  messages: [{ kind: 'message', seq: 2, at: 2, from: { kind: 'human', id: 'ada' }, text: 'hello' }],
  quiet: false,
  writing: [],
}

test('a space has one connection, shows streamed text, and draws each posted message once', async () => {
  const gateway = fakeGateway(view)
  let state: SpaceState | undefined
  let drawn = 0
  const List = memo(function List({ messages }: { readonly messages: SpaceView['messages'] }): ReactNode {
    drawn++
    return messages.map((each) => (each.kind === 'message' ? `[${each.text}]` : ''))
  })
  function Space(): ReactNode {
    state = useSpace('office')
    const { messages, writing } = state.view
    return (
      <>
        <List messages={messages} />
        {writing.map(({ text }) => `(${text})`)}
      </>
    )
  }
  const page = await draw(
    <HoldpointProvider client={gateway.client}>
      <Space />
    </HoldpointProvider>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(page.text()).toBe('[hello]')
  const before = drawn
  const post = state?.post
  for (const [at, delta] of 'good morning'.split('').entries())
    await gateway.say(frame({ type: 'message.streaming', agent: 'desk', id: 'm1', at, delta } as never))
  expect(page.text()).toBe('[hello](good morning)')
  expect(drawn).toBe(before)
  const from = { kind: 'agent', id: 'desk' }
  await gateway.say(event({ seq: 3, at: 3, type: 'message.posted', from, text: 'good morning' }))
  expect(page.text()).toBe('[hello][good morning]')
  expect(state?.post).toBe(post)
  await state?.post('thanks', { from: { kind: 'human', id: 'ada' } })
  expect(gateway.answers).toEqual([{ text: 'thanks', from: { kind: 'human', id: 'ada' } }])
})

test('client tools run for the visible calls of a space, and a component renders only for its selected part', async () => {
  const gateway = fakeGateway(view)
  const ran: string[] = []
  let drawn = 0
  function Names(): ReactNode {
    drawn++
    return useSpace('office', (state) => state.view.name)
  }
  const page = await draw(
    <StrictMode>
      <HoldpointProvider
        client={gateway.client}
        tools={{
          'browser.zone': { run: (input, { call }) => ran.push(`${call.spaceId} ${JSON.stringify(input)}`) && 'CET' },
        }}
      >
        <Names />
      </HoldpointProvider>
    </StrictMode>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 5)))
  expect(page.text()).toBe('Office')
  const before = drawn
  const call = { agent: 'desk', toolCallId: 't.1.1', status: 'requires_action' } as const
  const started = { ...call, type: 'tool.started', name: 'browser.zone', input: {} }
  await gateway.say(event({ ...started, seq: 3, at: 3, hold: { kind: 'approval', nth: 1 } }))
  expect(ran).toEqual([])
  const agreed = { ...call, type: 'tool.changed', input: { of: 'ada' } }
  await gateway.say(event({ ...agreed, seq: 4, at: 4, hold: { kind: 'client', nth: 2 } }))
  await vi.waitFor(() => expect(gateway.answers).toEqual([{ callId: 't.1.1', result: 'CET', hold: 2 }]), {
    timeout: 15_000,
  })
  expect(ran).toEqual(['office {"of":"ada"}'])
  expect(drawn).toBe(before)
  await page.remove()
  await vi.waitFor(() => expect(gateway.open).toBe(0), { timeout: 60_000 })
})

test('two components in StrictMode share one stream, which ends with the last of them', async () => {
  const gateway = fakeGateway(view)
  function Name(): ReactNode {
    return useSpace('office').view.name
  }
  const page = await draw(
    <StrictMode>
      <HoldpointProvider client={gateway.client}>
        <Name />
        <Name />
      </HoldpointProvider>
    </StrictMode>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(page.text()).toBe('OfficeOffice')
  expect(gateway.open).toBe(1)
  await page.remove()
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(gateway.open).toBe(0)
})
