/** One message of a space: of a person or an agent, or a visible call of an agent. */
import { memo, type MemoExoticComponent, type ReactNode } from 'react'
import type { SpaceMessage as Message } from '@holdpoint/client'
import { Markdown } from './markdown.tsx'
import { ShownText } from './shown-text.tsx'
import { SpaceCall, type SpaceCallProps } from './space-call.tsx'
import { Who } from './who.tsx'

export interface SpaceMessageProps extends Omit<SpaceCallProps, 'message'> {
  readonly message: Message
  /** The text of the message that this one replies to. */
  readonly answers?: string | undefined
}

export const SpaceMessage: MemoExoticComponent<(props: SpaceMessageProps) => ReactNode> = memo(function SpaceMessage({
  message,
  answers,
  ...rest
}: SpaceMessageProps): ReactNode {
  if (message.kind === 'tool')
    return (
      <article aria-label={`${message.agent} uses ${message.name}`} className="grid grid-cols-1 gap-1.5">
        <Who name={message.agent} at={message.at} note="uses a tool" />
        <SpaceCall message={message} {...rest} />
      </article>
    )
  const { from, text, at, quiet } = message
  const isMine = from.kind === 'human' && from.id === rest.by
  return (
    <article
      aria-label={`${from.id} said`}
      className={`grid grid-cols-1 gap-1 ${isMine ? 'justify-items-end' : 'justify-items-start'}`}
    >
      <Who name={from.id} at={at} note={quiet ? 'did not wake any agent' : undefined} />
      {answers !== undefined && (
        <p dir="auto" className="max-w-[85%] truncate border-s-2 border-border ps-2 text-xs text-muted-foreground">
          <ShownText text={answers} />
        </p>
      )}
      {from.kind === 'human' ? (
        <p
          dir="auto"
          className="max-w-[85%] rounded-lg bg-accent px-3.5 py-2 break-words whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {text}
        </p>
      ) : (
        <div className="w-full min-w-0">
          <Markdown text={text} />
        </div>
      )}
    </article>
  )
})
