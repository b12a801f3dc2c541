import type { ReactNode } from 'react'
import type { PendingHold } from '@holdpoint/client'
import { addressOf, TextLink } from '../parts.tsx'

export function Origin({ hold: { conversationId } }: { readonly hold: PendingHold }): ReactNode {
  return (
    <span>
      in <TextLink to={addressOf.conversation(conversationId)}>{conversationId}</TextLink>
    </span>
  )
}
