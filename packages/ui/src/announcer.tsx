/** Tells a screen reader what is new: a message once it is whole, and whatever waits for an answer. Not every word. */
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { ViewMessage } from '@holdpoint/client'
import { useConversation } from '@holdpoint/react'

export function Announcer({ conversationId }: { readonly conversationId: string }): ReactNode {
  const last = useConversation(conversationId, (state) => state.messages.at(-1))
  const hold = useConversation(conversationId, (state) => state.holds.at(-1))
  const [text, setText] = useState('')
  const known = useRef<string | undefined>(undefined)

  useEffect(() => {
    const before = known.current
    known.current = last?.id
    // What was there when the page came is no news.
    if (last && before !== undefined && last.id !== before && last.role === 'assistant')
      setText(`${last.agent}: ${wordsOf(last)}`)
  }, [last])

  useEffect(() => {
    if (hold && (hold.kind === 'approval' || hold.kind === 'elicitation'))
      setText(hold.kind === 'approval' ? `${hold.name} waits for approval.` : `${hold.name} asks you something.`)
  }, [hold])

  return (
    <div aria-live="polite" className="sr-only">
      {text}
    </div>
  )
}

function wordsOf(message: Extract<ViewMessage, { readonly role: 'assistant' }>): string {
  return message.parts
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ')
    .replaceAll(/[`*_#>|]/g, '')
    .slice(0, 500)
}
