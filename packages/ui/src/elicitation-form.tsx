/** Asks somebody for an answer that fits a schema. The question is the call's input, from the log. */
import { useId, type ReactNode } from 'react'
import { useResolve, type ApprovalCardProps } from './approval-card.tsx'
import { Button } from './button.tsx'
import { JsonValue } from './json-value.tsx'
import { SchemaForm } from './schema-form.tsx'
import { isObject, type Schema } from './schema.ts'
import { ShownText } from './shown-text.tsx'
import { Ago, Countdown } from './time.tsx'
import { VerdictNotice } from './verdict-notice.tsx'

/** Without a schema any text will do. */
const ANY: Schema = { type: 'string', title: 'Your answer', 'x-long': true, minLength: 1 }

export function ElicitationForm({ hold, agent, askedBy, origin, onResolve }: ApprovalCardProps): ReactNode {
  const { answer, busy, resolve } = useResolve(onResolve)
  const title = useId()
  const question = questionOf(hold.input)
  const bad = answer?.answer.verdict === 'invalid'
  return (
    <section aria-labelledby={title} className="overflow-hidden rounded-lg border border-held/40 bg-card text-sm">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-held/30 bg-held-muted px-4 py-2.5">
        <h3 id={title} className="font-medium">
          <ShownText text={hold.reason ?? question ?? `${hold.name} asks you`} />
        </h3>
        <span className="ms-auto text-xs text-muted-foreground">
          <Countdown until={hold.expiresAt} />
        </span>
      </header>
      <div className="grid grid-cols-1 gap-3 px-4 py-3">
        {(question === undefined || hold.reason !== undefined) && !isEmpty(hold.input) && (
          <JsonValue value={hold.input} />
        )}
        {answer && !bad ? (
          <VerdictNotice {...answer} />
        ) : (
          <SchemaForm
            schema={hold.answerSchema ?? ANY}
            problem={bad ? answer.answer.message : undefined}
            busy={busy}
            onSubmit={(value) => resolve({ kind: 'answer', value })}
          >
            <div className="flex flex-wrap items-center gap-2">
              <Button type="submit" look="strong" disabled={busy}>
                Answer
              </Button>
              {hold.accepts.includes('reject') && (
                <Button look="quiet" disabled={busy} onClick={() => resolve({ kind: 'reject' })}>
                  Decline
                </Button>
              )}
            </div>
          </SchemaForm>
        )}
        <p className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
          <span>
            <code className="font-mono">{hold.name}</code>
            {agent !== undefined && ` of ${agent}`}
          </span>
          {askedBy !== undefined && (
            <span>
              asked by <ShownText text={askedBy} />
            </span>
          )}
          <span>
            held <Ago at={hold.heldAt} />
          </span>
          {origin}
        </p>
      </div>
    </section>
  )
}

/** Most questions come as one text. */
function questionOf(input: unknown): string | undefined {
  const values = isObject(input) ? Object.values(input) : []
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined
}

function isEmpty(input: unknown): boolean {
  return input === null || (isObject(input) && Object.keys(input).length === 0)
}
