import { useMemo, useState, type ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { AnswerRow } from './answer-row.tsx'
import { Button } from './button.tsx'
import { JsonChanges } from './json-changes-list.tsx'
import { changesBetween } from './json-changes.ts'
import { SchemaForm } from './schema-form.tsx'
import { schemaOfValue } from './schema.ts'
import type { Resolving } from './use-resolve.ts'

export interface ApprovalEditProps {
  readonly input: Json
  readonly resolving: Resolving
  readonly onCancel: () => void
  /** `edited` is undefined if nothing was changed. */
  readonly onApprove: (edited: Json | undefined) => void
}

/** Edits the input of a call. The differences are shown before the approval. */
export function ApprovalEdit({ input, resolving, onCancel, onApprove }: ApprovalEditProps): ReactNode {
  const [edited, setEdited] = useState<Json | undefined>(input)
  const schema = useMemo(() => schemaOfValue(input), [input])
  const changes = edited === undefined ? [] : changesBetween(input, edited)
  return (
    <SchemaForm
      schema={schema}
      value={input}
      problem={resolving.problem}
      busy={resolving.busy}
      onChange={setEdited}
      onSubmit={(value) => onApprove(changes.length > 0 ? value : undefined)}
    >
      {changes.length > 0 && (
        <div className="rounded-md border border-border bg-background px-3 py-2.5">
          <h4 className="mb-2 text-xs text-muted-foreground">What you changed</h4>
          <JsonChanges changes={changes} />
        </div>
      )}
      <AnswerRow resolving={resolving}>
        <Button type="submit" look="ok" disabled={resolving.busy} aria-disabled={!resolving.settled}>
          {changes.length === 0
            ? 'Approve unchanged'
            : `Approve with ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Back
        </Button>
      </AnswerRow>
    </SchemaForm>
  )
}
