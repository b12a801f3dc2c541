/** Asks a person for an answer that fits a schema. The question is the input of the call, from the log. */
import { useId, type ReactNode } from 'react'
import type { ApprovalCardProps } from './approval-card.tsx'
import { askedByWords, requesterIds } from './asked-by-words.ts'
import { AnswerRow } from './answer-row.tsx'
import { Button } from './button.tsx'
import { mayResolve } from './card-hold.ts'
import { HoldPeople, WhyNot } from './hold-people.tsx'
import { HoldDiscussion } from './hold-discussion.tsx'
import { JsonValue, TextValue } from './json-value.tsx'
import { SchemaForm } from './schema-form.tsx'
import { isObject, type Schema } from './schema.ts'
import { usePeopleNames } from './people-names.ts'
import { ShownText } from './shown-text.tsx'
import { Ago, Countdown } from './time.tsx'
import { useResolve, type Resolving } from './use-resolve.ts'
import { VerdictNotice } from './verdict-notice.tsx'
import { safeLink, webAddressesIn } from './web-address.ts'

/** Without a schema, any text is an answer. */
const ANY: Schema = { type: 'string', title: 'Your answer', 'x-long': true, minLength: 1 }

/** The longest question that is shown as a heading. A longer one, or one with an address, is shown below the heading. */
const HEADING = 200

export function ElicitationForm({ hold, agent, origin, onResolve, discussion, instead }: ApprovalCardProps): ReactNode {
  const resolving = useResolve(onResolve, `${hold.nth} ${hold.inputHash}`)
  const { answer, over } = resolving
  const title = useId()
  const askedBy = askedByWords(hold, usePeopleNames())
  const question = questionOf(hold.input)
  const prompt = hold.reason ?? question
  const heading = prompt !== undefined && isHeading(prompt) ? prompt : undefined
  return (
    <section aria-labelledby={title} className="overflow-hidden rounded-lg border border-held/40 bg-card text-sm">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-held/30 bg-held-muted px-4 py-2.5">
        <h3 id={title} className="font-medium">
          <ShownText text={heading ?? `${hold.name} asks you a question`} />
        </h3>
        <span className="ms-auto text-xs text-muted-foreground">
          <Countdown until={hold.expiresAt} />
        </span>
      </header>
      <div className="grid grid-cols-1 gap-3 px-4 py-3">
        {prompt !== undefined && heading === undefined && <TextValue text={prompt} />}
        {(question === undefined || hold.reason !== undefined) && !isEmpty(hold.input) && (
          <JsonValue value={hold.input} />
        )}
        {answer && over && <VerdictNotice {...answer} />}
        {!over && instead === undefined && <WhyNot hold={hold} />}
        {!over && instead === undefined && mayResolve(hold) && <Answering hold={hold} resolving={resolving} />}
        {instead}
        <p className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
          <span>
            <code className="font-mono">
              <ShownText text={hold.name} />
            </code>
            {agent !== undefined && (
              <>
                {' of '}
                <ShownText text={agent} />
              </>
            )}
          </span>
          {askedBy !== undefined && (
            <span title={requesterIds(hold)}>
              asked by <ShownText text={askedBy} />
            </span>
          )}
          <span>
            held <Ago at={hold.heldAt} />
          </span>
          {origin}
        </p>
        <HoldPeople hold={hold} />
        <HoldDiscussion hold={hold} discussion={discussion} />
      </div>
    </section>
  )
}

function Answering({
  hold: { url, answerSchema, accepts },
  resolving,
}: Pick<ApprovalCardProps, 'hold'> & { readonly resolving: Resolving }): ReactNode {
  const { problem, busy, settled, resolve } = resolving
  const decline = accepts.includes('reject') && (
    <Button look="quiet" disabled={busy} aria-disabled={!settled} onClick={() => resolve({ kind: 'reject' })}>
      Decline
    </Button>
  )
  if (url === undefined)
    return (
      <SchemaForm
        schema={answerSchema ?? ANY}
        problem={problem}
        busy={busy}
        onSubmit={(value) => resolve({ kind: 'answer', value })}
      >
        <AnswerRow resolving={resolving}>
          <Button type="submit" look="strong" disabled={busy} aria-disabled={!settled}>
            Answer
          </Button>
          {decline}
        </AnswerRow>
      </SchemaForm>
    )
  return (
    <>
      <Visit url={url} />
      {problem !== undefined && (
        <p role="alert" className="text-xs text-destructive">
          <ShownText text={problem} />
        </p>
      )}
      <AnswerRow resolving={resolving}>
        {/* The gateway needs an answer, and its value does not matter. */}
        <Button
          look="strong"
          disabled={busy}
          aria-disabled={!settled}
          onClick={() => resolve({ kind: 'answer', value: true })}
        >
          I have done this
        </Button>
        {decline}
      </AnswerRow>
    </>
  )
}

/** A step on another site. Its address is shown before the user opens it. */
function Visit({ url }: { readonly url: string }): ReactNode {
  const link = safeLink(url)
  return (
    <div className="grid grid-cols-1 justify-items-start gap-1.5 rounded-md border border-border bg-background px-3 py-2.5">
      <p className="text-xs text-muted-foreground">Do this at the following address:</p>
      <TextValue text={url} />
      {link && link.protocol !== 'mailto:' ? (
        <a
          href={link.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="rounded-sm text-ring underline underline-offset-2 outline-none hover:decoration-2 focus-visible:ring-2 focus-visible:ring-ring"
        >
          Go to {link.host}
        </a>
      ) : (
        <p className="text-xs text-destructive">This is not a web address, so it is not shown as a link.</p>
      )}
    </div>
  )
}

function isHeading(text: string): boolean {
  return text.length <= HEADING && !text.includes('\n') && webAddressesIn(text).length === 0
}

/** The question, if the input has one text and nothing else. */
function questionOf(input: unknown): string | undefined {
  const values = isObject(input) ? Object.values(input) : []
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined
}

function isEmpty(input: unknown): boolean {
  return input === null || (isObject(input) && Object.keys(input).length === 0)
}
