/** Announces complete messages and new approvals and questions to screen readers, instead of every word. */
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
    // Messages from before the page was opened are not announced.
    if (last && before !== undefined && last.id !== before && last.role === 'assistant')
      setText(`${last.agent}: ${wordsOf(last)}`)
  }, [last])

  useEffect(() => {
    if (hold && (hold.kind === 'approval' || hold.kind === 'elicitation'))
      setText(hold.kind === 'approval' ? `${hold.name} waits for approval.` : `${hold.name} asks you a question.`)
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
