import type { ReactNode } from 'react'
import { HoldpointHttpError } from '@holdpoint/client'
import { useConversation, type ConversationState } from '@holdpoint/react'
import { Button, Composer, MessageList, PeopleNamesContext, ShownText } from '@holdpoint/ui'
import { ConversationHeader } from '../conversation-header.tsx'
import { usePeople } from '../conversation-people.tsx'
import { useConversationNames } from '../names.ts'
import { Empty, TextLink } from '../parts.tsx'
import { Tombstone } from '../erase-conversation.tsx'
import { useBy } from '../preferences.ts'

export function ConversationScreen({ id }: { readonly id: string }): ReactNode {
  const by = useBy()
  const names = useConversationNames(id)
  const erased = useConversation(id, (state) => state.view.erased)
  const refusal = useConversation(id, (state) => (state.loaded ? undefined : refusalOf(state)))
  if (refusal !== undefined) return <Refused id={id} why={refusal} />
  if (erased)
    return (
      <div className="flex h-full flex-col">
        <ConversationHeader id={id} here="chat" />
        <Tombstone erased={erased} />
      </div>
    )
  return (
    <PeopleNamesContext value={names}>
      <div className="flex h-full flex-col">
        <ConversationHeader id={id} here="chat" />
        <MessageList
          conversationId={id}
          by={by}
          empty={
            <p className="py-16 text-center text-sm text-muted-foreground">
              No messages yet. Write the first one below.
            </p>
          }
        />
        <Writing id={id} />
      </div>
    </PeopleNamesContext>
  )
}

/** What the user can write with, if they may write here. */
function Writing({ id }: { readonly id: string }): ReactNode {
  const by = useBy()
  const { value: people } = usePeople(id)
  // The message list says why.
  const isRefused = useConversation(id, (state) => refusalOf(state) !== undefined)
  if (isRefused) return null
  if (people && !people.may.write)
    return (
      <p className="mx-auto w-full max-w-3xl px-4 pb-4 text-sm text-muted-foreground">
        You can read this conversation, but not write in it.
      </p>
    )
  return (
    <>
      <ContinueButton id={id} />
      <Composer conversationId={id} by={by} />
    </>
  )
}

/** Why the gateway does not let the user read it. */
function refusalOf({ connection }: Pick<ConversationState, 'connection'>): string | undefined {
  if (connection.state !== 'stopped' || !(connection.error instanceof HoldpointHttpError)) return undefined
  const { status, problem, message } = connection.error
  return status === 403 ? (problem?.detail ?? message) : undefined
}

function Refused({ id, why }: { readonly id: string; readonly why: string }): ReactNode {
  const reconnect = useConversation(id, (state) => state.reconnect)
  return (
    <div className="flex h-full flex-col">
      <ConversationHeader id={id} here="chat" />
      <div role="alert" className="grid gap-3 px-4 py-5">
        <Empty title="You may not see this conversation">
          <ShownText text={why} /> <TextLink to="/conversations">Your conversations</TextLink>
        </Empty>
        <Button className="justify-self-center" onClick={reconnect}>
          Try again
        </Button>
      </div>
    </div>
  )
}

/** A turn that ended early can be continued. */
function ContinueButton({ id }: { readonly id: string }): ReactNode {
  const last = useConversation(id, (state) => state.messages.at(-1))
  const continueTurn = useConversation(id, (state) => state.continue)
  const stopped =
    last?.role === 'assistant' &&
    ['interrupted', 'model_failed', 'max_steps', 'budget'].includes(last.ended?.reason ?? '')
  return stopped ? (
    <div className="mx-auto w-full max-w-3xl px-4 pb-2">
      <Button small onClick={() => void continueTurn({ wait: 0 })}>
        Continue
      </Button>
    </div>
  ) : null
}
