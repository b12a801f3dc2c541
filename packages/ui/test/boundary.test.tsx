/** Errors in drawing and in loading are shown. */
import type { ReactNode } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Connection, ViewCall } from '@holdpoint/client'
import { Boundary, ConnectionNotice, ToolCall, ToolComponentsContext } from '@holdpoint/ui'
import { draw } from './drawn.ts'

/** React logs an error that a boundary caught. */
function quiet(): void {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => spy.mockRestore())
}

function Broken(): ReactNode {
  throw new Error('no such field')
}

test('a part that cannot be drawn is replaced, and the rest of the page stays', async () => {
  quiet()
  const page = await draw(
    <>
      <p>before</p>
      <Boundary fallback={({ message }) => <p>failed: {message}</p>}>
        <Broken />
      </Boundary>
    </>,
  )
  expect(page.text()).toBe('beforefailed: no such field')
})

test('a part that could not be drawn is drawn again when its subject changes', async () => {
  quiet()
  const at = (subject: string): ReactNode => (
    <Boundary subject={subject} fallback={() => 'failed'}>
      {subject === 'broken' ? <Broken /> : 'drawn'}
    </Boundary>
  )
  const page = await draw(at('broken'))
  expect(page.text()).toBe('failed')
  await page.redraw(at('fine'))
  expect(page.text()).toBe('drawn')
})

test('a component for a tool that fails is replaced by the plain form of the call', async () => {
  quiet()
  const call: ViewCall = {
    callId: 'c',
    name: 'email.send',
    proposed: {},
    input: {},
    attempt: 1,
    holds: 0,
    resolved: [],
    state: 'settled',
    outcome: { ok: true, value: 1 },
    settledAt: 0,
  }
  const page = await draw(
    <ToolComponentsContext value={{ by_name: { 'email.send': Broken } }}>
      <ToolCall call={call} />
    </ToolComponentsContext>,
  )
  expect(page.text()).toContain('email.send')
})

test.each<[Connection, boolean, string]>([
  [{ state: 'connecting' }, false, 'Loading…'],
  [{ state: 'connecting' }, true, ''],
  [{ state: 'live' }, false, ''],
  [{ state: 'waiting', retryAt: 0 }, false, 'Loading…'],
  [{ state: 'waiting', retryAt: 0, error: new Error('away') }, false, 'Not loaded yet, retrying: away'],
  [{ state: 'waiting', retryAt: 0, error: new Error('away') }, true, ''],
  [{ state: 'stopped', error: new Error('too large') }, false, 'This cannot be loaded: too largeTry again'],
  [{ state: 'stopped', error: new Error('too large') }, true, 'This page no longer updates: too largeTry again'],
])('%j, loaded: %j', async (connection, loaded, says) => {
  const page = await draw(<ConnectionNotice connection={connection} loaded={loaded} onRetry={() => {}} />)
  expect(page.text()).toBe(says)
})
