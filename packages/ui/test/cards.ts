/** Test data for cards, and actions of a user. Timers are fake. */
import { beforeEach, onTestFinished, vi } from 'vitest'
import type { ViewHold } from '@holdpoint/client'
import { act } from './drawn.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
})

export function holdOf(more: Partial<ViewHold> = {}): ViewHold {
  const input = more.input ?? { to: 'ada@example.org' }
  return {
    kind: 'approval',
    cause: 'tool',
    accepts: ['approve', 'reject'],
    input,
    inputHash: 'h',
    fingerprint: 'f',
    expiresAt: Date.now() + 60_000,
    timeoutMs: 60_000,
    onExpire: 'error',
    late: 'reject',
    approvers: 1,
    callId: 'call1',
    name: 'email.send',
    proposed: input,
    nth: 1,
    heldAt: Date.now(),
    endorsedBy: [],
    ...more,
  }
}

export const button = (name: string): HTMLButtonElement => {
  const found = [...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === name)
  if (!found) throw new Error(`There is no button "${name}" in: ${document.body.textContent}`)
  return found
}
export const clickAtOnce = (name: string): Promise<void> => act(async () => button(name).click())
/** Waits until a card that has just appeared or changed accepts an answer. */
export const settle = (): Promise<void> => act(async () => void vi.advanceTimersByTime(1000))
export const click = async (name: string): Promise<void> => {
  await settle()
  await clickAtOnce(name)
}
export const type = (field: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void> =>
  act(async () => {
    const proto = Object.getPrototypeOf(field) as object
    Object.getOwnPropertyDescriptor(proto, 'value')?.set?.call(field, text)
    field.dispatchEvent(new window.Event('input', { bubbles: true }))
  })
export const fields = (): readonly HTMLInputElement[] => [...document.querySelectorAll('input')]
export const alerts = (): string =>
  [...document.querySelectorAll('[role="alert"]')].map((each) => each.textContent).join(' ')
