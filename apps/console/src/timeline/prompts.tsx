/** The prompt of each step of a turn, and what was left out of it. */
import { useEffect, useState, type ReactNode } from 'react'
import type { Explanation, Json } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { JsonValue, spanOf } from '@holdpoint/ui'

type Step = Explanation['steps'][number]

/** Loads the prompts again whenever the log has a new event. */
export function Prompts({
  id,
  turnId,
  seq,
}: {
  readonly id: string
  readonly turnId: string
  readonly seq: number
}): ReactNode {
  const client = useClient()
  const [explanation, setExplanation] = useState<Explanation>()
  useEffect(() => {
    const over = new AbortController()
    client.conversations.explain(id, turnId, { signal: over.signal }).then(setExplanation, () => undefined)
    return () => over.abort()
  }, [client, id, turnId, seq])
  if (explanation?.turnId !== turnId || explanation.steps.length === 0) return null
  return (
    <section aria-labelledby="prompts" className="grid gap-2">
      <h2 id="prompts" className="text-base font-semibold">
        Prompts
      </h2>
      {explanation.steps.map((step) => (
        <StepPrompt key={step.seq} step={step} />
      ))}
    </section>
  )
}

function StepPrompt({ step }: { readonly step: Step }): ReactNode {
  const { audit, usage, seen, leftOut, summary } = step
  return (
    <details className="rounded-lg border border-border bg-card text-sm">
      <summary className="flex flex-wrap items-baseline gap-x-4 px-4 py-2 outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset">
        <b className="font-medium">Step {step.step}</b>
        <span className="text-xs text-muted-foreground">
          {seen.length} {seen.length === 1 ? 'event' : 'events'}
          {leftOut.length > 0 && `, ${leftOut.length} left out`}
          {summary && ', with a summary of earlier turns'}
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
            <Labelled label="Messages">
              <ol className="grid gap-2">
                {audit.request.prompt.map((message, index) => (
                  <li key={index} className="grid gap-1 border-s-2 border-border ps-3">
                    <span className="font-mono text-xs text-muted-foreground">{message.role}</span>
                    <JsonValue value={bodyOf(message)} depth={1} />
                  </li>
                ))}
              </ol>
            </Labelled>
            <Labelled label="Tools">
              <p className="font-mono text-xs">{audit.request.tools.map(({ name }) => name).join(', ') || 'none'}</p>
            </Labelled>
          </>
        ) : (
          <p className="text-xs text-muted-foreground">
            Events {seen.map((each) => each.seq).join(', ')}. The agent does not record its requests, so there is no
            text. To record them, set <code className="font-mono">audit: true</code> on the agent.
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
