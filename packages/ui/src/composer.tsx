/** Where something is said. What could not be sent stays, and it says why. */
import { useId, useRef, useState, type ReactNode } from 'react'
import { useConversation } from '@holdpoint/react'
import { Button } from './button.tsx'

export interface ComposerProps {
  readonly conversationId: string
  /** Whose conversation it becomes with the first message. */
  readonly agent?: string | undefined
  readonly by?: string | undefined
  readonly placeholder?: string
}

export function Composer({ conversationId, agent, by, placeholder }: ComposerProps): ReactNode {
  const status = useConversation(conversationId, (state) => state.status)
  const send = useConversation(conversationId, (state) => state.send)
  const cancel = useConversation(conversationId, (state) => state.cancel)
  return (
    // What was written for one conversation is not sent to another.
    <ComposerField
      key={conversationId}
      placeholder={placeholder}
      onSend={(content) => send(content, { ...(agent !== undefined && { agent }), ...(by !== undefined && { by }) })}
      onStop={status === 'idle' ? undefined : cancel}
    />
  )
}

type Told = { readonly ok: true } | { readonly ok: false; readonly message: string }

export interface ComposerFieldProps {
  readonly placeholder?: string | undefined
  /** There is something that can be stopped. */
  readonly onStop?: (() => Promise<Told>) | undefined
  readonly onSend: (text: string) => Promise<Told>
}

/** Wherever it is said. */
export function ComposerField({ placeholder = 'Say something', onSend, onStop }: ComposerFieldProps): ReactNode {
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
    const told = await onSend(content).catch(asTold)
    // What was written meanwhile is for the next time.
    if (told.ok) setText((now) => (now.startsWith(text) ? now.slice(text.length) : now))
    else setProblem(told.message)
    setSending(false)
    refocus()
  }
  /** A button that went away took the focus with it. Whoever is elsewhere by now stays there. */
  const refocus = (): void => {
    const { activeElement, body } = document
    if (activeElement === body || field.current?.form?.contains(activeElement)) field.current?.focus()
  }
  const stop = async (ask: () => Promise<Told>): Promise<void> => {
    const told = await ask().catch(asTold)
    if (!told.ok) setProblem(told.message)
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
          <Button onClick={() => void stop(onStop)} title="End this turn">
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

function asTold(error: Error): Told {
  return { ok: false, message: error.message }
}
