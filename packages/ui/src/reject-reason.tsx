import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { AnswerRow } from './answer-row.tsx'
import { Button } from './button.tsx'
import type { Resolving } from './use-resolve.ts'

export interface RejectReasonProps {
  readonly resolving: Resolving
  readonly onCancel: () => void
  readonly onReject: (reason: string) => void
}

/** Asks for the reason of a rejection, which the model reads. */
export function RejectReason({ resolving, onCancel, onReject }: RejectReasonProps): ReactNode {
  const [reason, setReason] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onReject(reason.trim())
      }}
    >
      <label htmlFor={id} className="text-sm font-medium">
        Why not?{' '}
        <span className="text-xs font-normal text-muted-foreground">Optional. The agent reads your reason.</span>
      </label>
      <textarea
        ref={field}
        id={id}
        dir="auto"
        rows={2}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault()
            onReject(reason.trim())
          }
          if (event.key === 'Escape') onCancel()
        }}
        className="w-full rounded-md border border-input bg-background px-2.5 py-1.5 text-sm outline-none focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/40"
      />
      <AnswerRow resolving={resolving}>
        <Button type="submit" look="destructive" disabled={resolving.busy} aria-disabled={!resolving.settled}>
          Reject
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Back
        </Button>
      </AnswerRow>
    </form>
  )
}
