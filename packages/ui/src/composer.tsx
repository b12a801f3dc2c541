/** The message field. If a message could not be sent, its text stays in the field, with the reason. */
import { useId, useRef, useState, type ReactNode } from 'react'
import { useConversation } from '@holdpoint/react'
import { Button } from './button.tsx'
import { errorWords } from './error-words.ts'

export interface ComposerProps {
  readonly conversationId: string
  /** The agent of the conversation, if the first message creates it. */
  readonly agent?: string | undefined
  readonly by?: string | undefined
  readonly placeholder?: string
}

export function Composer({ conversationId, agent, by, placeholder }: ComposerProps): ReactNode {
  const status = useConversation(conversationId, (state) => state.status)
  const send = useConversation(conversationId, (state) => state.send)
  const cancel = useConversation(conversationId, (state) => state.cancel)
  return (
    // Another conversation gets another field, so a draft is not sent to the wrong one.
    <ComposerField
      key={conversationId}
      placeholder={placeholder}
      onSend={(content) => send(content, { ...(agent !== undefined && { agent }), ...(by !== undefined && { by }) })}
      onStop={status === 'idle' ? undefined : cancel}
    />
  )
}

type SendResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

export interface ComposerFieldProps {
  readonly placeholder?: string | undefined
  /** Set while a turn can be stopped. */
  readonly onStop?: (() => Promise<SendResult>) | undefined
  readonly onSend: (text: string) => Promise<SendResult>
}

/** The field alone, for a conversation or a space. */
export function ComposerField({ placeholder = 'Write a message', onSend, onStop }: ComposerFieldProps): ReactNode {
  const [text, setText] = useState('')
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()

  const submit = async (): Promise<void> => {
    const content = text.trim()
    if (content === '' || sending) return
    setSending(true)
    setProblem('')
    const result = await onSend(content).catch(asResult)
    // Text that the user added while the message was sent stays in the field.
    if (result.ok) setText((now) => (now.startsWith(text) ? now.slice(text.length) : now))
    else setProblem(result.message)
    setSending(false)
    refocus()
  }
  /** A removed button loses the focus to the body. Move it to the field, unless the user has focused another element. */
  const refocus = (): void => {
    const { activeElement, body } = document
    if (activeElement === body || field.current?.form?.contains(activeElement)) field.current?.focus()
  }
  const stop = async (ask: () => Promise<SendResult>): Promise<void> => {
    const result = await ask().catch(asResult)
    if (!result.ok) setProblem(result.message)
    refocus()
  }
  return (
    <form
      className="px-4 pb-4"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {problem !== '' && (
        <p role="alert" id={`${id}-problem`} className="mx-auto mb-1.5 max-w-3xl text-xs text-destructive">
          {problem}
        </p>
      )}
      <div className="mx-auto flex max-w-3xl items-end gap-2 rounded-lg border border-input bg-card p-1.5 focus-within:border-ring focus-within:ring-2 focus-within:ring-ring/40">
        <label htmlFor={id} className="sr-only">
          Message
        </label>
        <textarea
          ref={field}
          id={id}
          dir="auto"
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-describedby={problem === '' ? undefined : `${id}-problem`}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            void submit()
          }}
          className="field-sizing-content max-h-48 min-h-8 grow resize-none bg-transparent px-2 py-1 text-sm leading-6 outline-none placeholder:text-muted-foreground"
        />
        {onStop && (
          <Button onClick={() => void stop(onStop)} title="Stop this turn">
            Stop
          </Button>
        )}
        <Button type="submit" look="strong" disabled={sending || text.trim() === ''}>
          Send
        </Button>
      </div>
    </form>
  )
}

function asResult(error: Error): SendResult {
  return { ok: false, message: errorWords(error) }
}
