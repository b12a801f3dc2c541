import type { ReactNode } from 'react'
import { useConversation } from '@holdpoint/react'
import { Button, Composer, MessageList } from '@holdpoint/ui'
import { ConversationHeader } from '../conversation-header.tsx'
import { useBy } from '../preferences.ts'

export function ConversationScreen({ id }: { readonly id: string }): ReactNode {
  const by = useBy()
  return (
    <div className="flex h-full flex-col">
      <ConversationHeader id={id} here="chat" />
      <MessageList
        conversationId={id}
        by={by}
        empty={
          <p className="py-16 text-center text-sm text-muted-foreground">Nothing was said yet. Say something below.</p>
        }
      />
      <GoOn id={id} />
      <Composer conversationId={id} by={by} />
    </div>
  )
}

/** A turn that stopped early can be taken up again. */
function GoOn({ id }: { readonly id: string }): ReactNode {
  const last = useConversation(id, (state) => state.messages.at(-1))
  const goOn = useConversation(id, (state) => state.continue)
  const stopped =
    last?.role === 'assistant' &&
    ['interrupted', 'model_failed', 'max_steps', 'budget'].includes(last.ended?.reason ?? '')
  return stopped ? (
    <div className="mx-auto w-full max-w-3xl px-4 pb-2">
      <Button small onClick={() => void goOn({ wait: 0 })}>
        Take it up again
      </Button>
    </div>
  ) : null
}
