/** One message: of a person, of an agent with the calls of its turn, or a late answer to a call. */
import { memo, type MemoExoticComponent, type ReactNode } from 'react'
import type { InboxEvent, ViewMessage, ViewPart } from '@holdpoint/client'
import { CallInput } from './call-input.tsx'
import { FilePart } from './file-part.tsx'
import { JsonValue } from './json-value.tsx'
import { Markdown } from './markdown.tsx'
import { usePeopleNames } from './people-names.ts'
import { ProviderTool } from './provider-tool.tsx'
import { ShownText } from './shown-text.tsx'
import { Thinking } from './thinking.tsx'
import { Outcome, ToolCall } from './tool-call.tsx'
import type { ToolCallProps } from './tool-components.ts'
import { Ago } from './time.tsx'
import { whoWords } from './who-words.ts'
import { Who } from './who.tsx'

export interface MessageProps extends Pick<ToolCallProps, 'onResolve'> {
  readonly message: ViewMessage
}

export const Message: MemoExoticComponent<(props: MessageProps) => ReactNode> = memo(function Message({
  message,
  onResolve,
}: MessageProps): ReactNode {
  const names = usePeopleNames()
  switch (message.role) {
    case 'user': {
      const author = message.by === undefined ? 'You' : whoWords(message.by, names)
      return (
        <article aria-label={`${author} said`} className="grid grid-cols-1 justify-items-end gap-1">
          <Who name={author} title={message.by} at={message.at} />
          <div className="max-w-[85%] rounded-lg rounded-ee-sm bg-accent px-3.5 py-2">
            {message.parts.map((part, index) =>
              part.type === 'text' ? (
                <p key={index} dir="auto" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
                  {part.text}
                </p>
              ) : (
                <FilePart key={index} part={part} />
              ),
            )}
          </div>
        </article>
      )
    }
    case 'answer':
      return (
        <article
          aria-label={`A late answer to ${message.name}`}
          className="grid grid-cols-1 gap-2 rounded-md border border-border bg-card px-3 py-2 text-sm"
        >
          <p className="text-xs text-muted-foreground">
            <code className="font-mono">{message.name}</code> was answered after its turn had continued
          </p>
          <Outcome outcome={message.outcome} />
        </article>
      )
    case 'event':
      return <WakingEvent event={message.event} at={message.at} />
    case 'assistant': {
      const { parts, agent, retry, ended } = message
      return (
        <article aria-label={`${agent} said`} aria-busy={!ended} className="grid grid-cols-1 gap-2">
          <Who name={agent} at={message.at} />
          {parts.map((part, index) => (
            <Part key={keyOf(part, index)} part={part} parts={parts} agent={agent} onResolve={onResolve} />
          ))}
          {!ended && parts.length === 0 && !retry && <WorkingDots />}
          {retry && <p className="text-xs text-held">The model call failed ({retry.message}). Retrying.</p>}
          {ended && ended.reason !== 'completed' && <TurnEnd reason={ended.reason} message={ended.message} />}
        </article>
      )
    }
  }
})

/** An event that woke the agent. */
function WakingEvent({ event, at }: { readonly event: InboxEvent; readonly at: number }): ReactNode {
  switch (event.type) {
    case 'space.message':
      return (
        <article
          aria-label={`${event.from.id} said in ${event.name}`}
          className="grid grid-cols-1 justify-items-end gap-1"
        >
          <Who name={`${event.from.id} in ${event.name}`} at={at} />
          <p
            dir="auto"
            className="max-w-[85%] rounded-lg rounded-ee-sm bg-accent px-3.5 py-2 break-words whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {event.text}
          </p>
        </article>
      )
    case 'plan.fired':
      return (
        <article aria-label="A plan fired" className="text-center text-xs text-muted-foreground">
          A plan fired: <ShownText text={event.what} /> · <Ago at={event.due} />
        </article>
      )
    case 'trigger':
      return (
        <article
          aria-label={`Trigger ${event.name}`}
          className="grid grid-cols-1 gap-2 rounded-md border border-border bg-card px-3 py-2 text-sm"
        >
          <p className="text-xs text-muted-foreground">
            Trigger <code className="font-mono">{event.name}</code>
            {event.by !== undefined && ` from ${event.by}`}
          </p>
          <JsonValue value={event.data} />
        </article>
      )
  }
}

/** A part keeps its key, and so its state, when it is complete. */
function keyOf(part: ViewPart, index: number): string {
  return part.type === 'call' ? part.call.callId : String(index)
}

interface PartProps extends Pick<ToolCallProps, 'onResolve'> {
  readonly part: ViewPart
  readonly parts: readonly ViewPart[]
  readonly agent: string
}

function Part({ part, parts, agent, onResolve }: PartProps): ReactNode {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <Markdown text={part.text} />
    case 'reasoning':
      return part.text.trim() === '' ? null : <Thinking text={part.text} streaming={part.streaming === true} />
    case 'call':
      return <ToolCall call={part.call} agent={agent} onResolve={onResolve} />
    case 'call-input':
      return <CallInput name={part.name} text={part.text} />
    case 'provider-call': {
      const result = parts.find((each) => each.type === 'provider-result' && each.id === part.id)
      return <ProviderTool call={part} result={result?.type === 'provider-result' ? result : undefined} />
    }
    // Shown together with its call.
    case 'provider-result':
      return null
    case 'file':
      return <FilePart part={part} />
    case 'source':
      return <Source source={part.source} />
    case 'custom':
      return <p className="text-xs text-muted-foreground">{part.kind}</p>
  }
}

function Source({ source }: { readonly source: Readonly<Record<string, unknown>> }): ReactNode {
  const { title, url } = source
  const text = typeof title === 'string' ? title : typeof url === 'string' ? url : 'a source'
  return typeof url === 'string' ? <Markdown text={`Source: <${url}>`} /> : <p className="text-xs">Source: {text}</p>
}

function WorkingDots(): ReactNode {
  return (
    <p className="flex gap-1 py-1" aria-label="Working">
      {[0, 1, 2].map((nth) => (
        <span
          key={nth}
          aria-hidden
          className="size-1.5 animate-pulse rounded-full bg-muted-foreground motion-reduce:animate-none"
          style={{ animationDelay: `${nth * 200}ms` }}
        />
      ))}
    </p>
  )
}

type Assistant = Extract<ViewMessage, { readonly role: 'assistant' }>

function TurnEnd({
  reason,
  message,
}: {
  readonly reason: NonNullable<Assistant['ended']>['reason']
  readonly message: string | undefined
}): ReactNode {
  return (
    <p className="text-xs text-muted-foreground">
      The turn ended: {reason.replaceAll('_', ' ')}
      {message !== undefined && (
        <>
          {'. '}
          <ShownText text={message} />
        </>
      )}
    </p>
  )
}
