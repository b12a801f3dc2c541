/** What the model was told in each step of a turn, and what it was not. */
import { useEffect, useState, type ReactNode } from 'react'
import type { Explanation, Json } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { JsonValue, spanOf } from '@holdpoint/ui'

type Step = Explanation['steps'][number]

/** Asked for anew when the log has moved. */
export function Told({
  id,
  turnId,
  seq,
}: {
  readonly id: string
  readonly turnId: string
  readonly seq: number
}): ReactNode {
  const client = useClient()
  const [told, setTold] = useState<Explanation>()
  useEffect(() => {
    const over = new AbortController()
    client.conversations.explain(id, turnId, { signal: over.signal }).then(setTold, () => undefined)
    return () => over.abort()
  }, [client, id, turnId, seq])
  if (told?.turnId !== turnId || told.steps.length === 0) return null
  return (
    <section aria-labelledby="told" className="grid gap-2">
      <h2 id="told" className="text-base font-semibold">
        What the model was told
      </h2>
      {told.steps.map((step) => (
        <StepTold key={step.seq} step={step} />
      ))}
    </section>
  )
}

function StepTold({ step }: { readonly step: Step }): ReactNode {
  const { audit, usage, seen, leftOut, summary } = step
  return (
    <details className="rounded-lg border border-border bg-card text-sm">
      <summary className="flex flex-wrap items-baseline gap-x-4 px-4 py-2 outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset">
        <b className="font-medium">Step {step.step}</b>
        <span className="text-xs text-muted-foreground">
          {seen.length} {seen.length === 1 ? 'entry' : 'entries'} of the log
          {leftOut.length > 0 && `, ${leftOut.length} left out`}
          {summary && ', a summary of what came before'}
        </span>
        <span className="ms-auto text-xs text-muted-foreground tabular-nums">
          {audit && `${audit.model} · ${spanOf(audit.ms)} · `}
          {usage.inputTokens} in, {usage.outputTokens} out
        </span>
      </summary>
      <div className="grid gap-3 border-t border-border px-4 py-3">
        {leftOut.length > 0 && (
          <Labelled label="Left out">
            <JsonValue value={leftOut} depth={1} />
          </Labelled>
        )}
        {audit ? (
          <>
            <Labelled label="The prompt, as it was sent">
              <ol className="grid gap-2">
                {audit.request.prompt.map((message, index) => (
                  <li key={index} className="grid gap-1 border-s-2 border-border ps-3">
                    <span className="font-mono text-xs text-muted-foreground">{message.role}</span>
                    <JsonValue value={bodyOf(message)} depth={1} />
                  </li>
                ))}
              </ol>
            </Labelled>
            <Labelled label="Tools it was given">
              <p className="font-mono text-xs">{audit.request.tools.map(({ name }) => name).join(', ') || 'none'}</p>
            </Labelled>
          </>
        ) : (
          <p className="text-xs text-muted-foreground">
            Events {seen.map((each) => each.seq).join(', ')}. The agent keeps no audit, so the words themselves are not
            there: make it with <code className="font-mono">audit: true</code>.
          </p>
        )}
      </div>
    </details>
  )
}

function bodyOf({ role: _role, ...rest }: { readonly role: string }): Json {
  return rest
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="grid gap-1.5">
      <h3 className="text-xs text-muted-foreground">{label}</h3>
      {children}
    </div>
  )
}
