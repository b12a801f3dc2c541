/** The message field. If a message could not be sent, its text stays in the field, with the reason. */
import {
  useId,
  useMemo,
  useRef,
  useState,
  type ComponentProps,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
} from 'react'
import type { UserPart } from '@holdpoint/client'
import { useClient, useConversation } from '@holdpoint/react'
import { AttachButton } from './attach-button.tsx'
import { AttachmentList } from './attachment-list.tsx'
import { Button } from './button.tsx'
import { errorWords } from './error-words.ts'
import { uploadWith, useAttachments, type UploadFile } from './use-attachments.ts'

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
  const client = useClient()
  const upload = useMemo(() => uploadWith(client, by), [client, by])
  return (
    // Another conversation gets another field, so a draft is not sent to the wrong one.
    <ComposerField
      key={conversationId}
      placeholder={placeholder}
      upload={upload}
      onSend={(text, files) =>
        send(files.length === 0 ? text : contentOf(text, files), {
          ...(agent !== undefined && { agent }),
          ...(by !== undefined && { by }),
        })
      }
      onStop={status === 'idle' ? undefined : cancel}
    />
  )
}

type SendResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

export interface ComposerFieldProps {
  readonly placeholder?: string | undefined
  /** Set while a turn can be stopped. */
  readonly onStop?: (() => Promise<SendResult>) | undefined
  /** Uploads a file that the user adds. Without it, a message has only text. */
  readonly upload?: UploadFile | undefined
  /** With the files of the message. A message may have files and no text. */
  readonly onSend: (text: string, files: readonly UserPart[]) => Promise<SendResult>
}

/** The field alone, for a conversation or a space. */
export function ComposerField({
  placeholder = 'Write a message',
  upload,
  onSend,
  onStop,
}: ComposerFieldProps): ReactNode {
  const [text, setText] = useState('')
  const [sending, setSending] = useState(false)
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const attachments = useAttachments(upload)
  const ready = attachments.all.filter(({ state }) => state === 'ready')
  // A message goes with all its files or not at all.
  const waits = ready.length < attachments.all.length
  const isEmpty = text.trim() === '' && ready.length === 0

  const submit = async (): Promise<void> => {
    if (isEmpty || waits || sending) return
    setSending(true)
    setProblem('')
    const files = ready.flatMap(({ part }) => part ?? [])
    const result = await onSend(text.trim(), files).catch(asResult)
    if (result.ok) {
      // Text that the user added while the message was sent stays in the field.
      setText((now) => (now.startsWith(text) ? now.slice(text.length) : now))
      attachments.remove(ready.map(({ key }) => key))
    } else setProblem(result.message)
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
      {...(upload && dropping(attachments.add))}
    >
      {problem !== '' && (
        <p role="alert" id={`${id}-problem`} className="mx-auto mb-1.5 max-w-3xl text-xs text-destructive">
          {problem}
        </p>
      )}
      <AttachmentList attachments={attachments} />
      <div className="mx-auto flex max-w-3xl items-end gap-2 rounded-lg border border-input bg-card p-1.5 focus-within:border-ring focus-within:ring-2 focus-within:ring-ring/40">
        {upload && <AttachButton onFiles={attachments.add} />}
        <TextField
          id={id}
          field={field}
          text={text}
          placeholder={placeholder}
          aria-describedby={problem === '' ? undefined : `${id}-problem`}
          onText={setText}
          onEnter={() => void submit()}
        />
        {onStop && (
          <Button onClick={() => void stop(onStop)} title="Stop this turn">
            Stop
          </Button>
        )}
        <Button type="submit" look="strong" disabled={sending || waits || isEmpty}>
          Send
        </Button>
      </div>
    </form>
  )
}

interface TextFieldProps extends Pick<ComponentProps<'textarea'>, 'placeholder' | 'aria-describedby'> {
  readonly id: string
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onText: (text: string) => void
  readonly onEnter: () => void
}

function TextField({ id, field, text, onText, onEnter, ...rest }: TextFieldProps): ReactNode {
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Message
      </label>
      <textarea
        {...rest}
        ref={field}
        id={id}
        dir="auto"
        rows={1}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          onEnter()
        }}
        className="field-sizing-content max-h-48 min-h-8 grow resize-none bg-transparent px-2 py-1 text-sm leading-6 outline-none placeholder:text-muted-foreground"
      />
    </>
  )
}

/** Handlers that take files which are dropped or pasted. Text is left to the field. */
function dropping(
  add: (files: readonly File[]) => void,
): Pick<ComponentProps<'form'>, 'onDragOver' | 'onDrop' | 'onPaste'> {
  const take = (event: SyntheticEvent, { files }: DataTransfer): void => {
    if (files.length === 0) return
    event.preventDefault()
    add([...files])
  }
  return {
    onDragOver: (event) => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop: (event) => take(event, event.dataTransfer),
    onPaste: (event) => take(event, event.clipboardData),
  }
}

function contentOf(text: string, files: readonly UserPart[]): readonly UserPart[] {
  return text === '' ? files : [{ type: 'text', text }, ...files]
}

function asResult(error: Error): SendResult {
  return { ok: false, message: errorWords(error) }
}
