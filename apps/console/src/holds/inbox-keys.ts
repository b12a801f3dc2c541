import type { KeyboardEvent, RefObject } from 'react'
import type { PendingHold } from '@holdpoint/client'
import type { Inbox } from './use-inbox.ts'
import { isSelectable } from './selection.ts'

export interface InboxKeys extends Pick<Inbox, 'shown' | 'opened'> {
  /** Contains the buttons of the open hold. */
  readonly panel: RefObject<HTMLElement | null>
  readonly show: (hold: PendingHold | undefined) => void
  readonly select: (hold: PendingHold) => void
}

/** The keys of the inbox. They do nothing while the user types. */
export function inboxKeys({ shown, opened, panel, show, select }: InboxKeys): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
    const index = opened ? shown.indexOf(opened.item) : -1
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      show(shown[Math.max(0, Math.min(shown.length - 1, index + step))])
    }
    if (event.key === 'x' && opened && !opened.gone && isSelectable(opened.item)) select(opened.item)
    const button = { a: 'approve', e: 'edit', r: 'reject' }[event.key]
    if (button === undefined) return
    const found = panel.current?.querySelector<HTMLElement>(`[data-answer="${button}"]`)
    event.preventDefault()
    if (button === 'approve') found?.focus()
    else found?.click()
  }
}

function isTyping(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.closest('input:not([type=checkbox]), textarea, select') !== null
}
