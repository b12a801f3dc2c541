/** A call with its state, input, progress, answers and outcome. */
import * as Collapsible from '@radix-ui/react-collapsible'
import { useState, type ReactNode } from 'react'
import type { Resolution, ResolveResult, ViewCall } from '@holdpoint/client'
import { Boundary } from './boundary.tsx'
import { FileLink } from './file-link.tsx'
import { HoldCard } from './hold-card.tsx'
import { JsonValue } from './json-value.tsx'
import { KeepPlace } from './keep-place.tsx'
import { ordinal } from './ordinal.ts'
import { useCardHold } from './pending-facts.ts'
import { usePeopleNames, type PeopleNames } from './people-names.ts'
import { Progress } from './progress.tsx'
import { resolvedWords } from './resolved-words.ts'
import { ShownText } from './shown-text.tsx'
import { useToolComponent, type ToolCallProps } from './tool-components.ts'
import { VerdictNotice } from './verdict-notice.tsx'

/** Draws a call with the component of its tool, or with the fallback. */
export function ToolCall(props: ToolCallProps): ReactNode {
  const Own = useToolComponent(props.call.name)
  const waits = props.onResolve !== undefined && forPeople(props.call.hold)
  const plain = <PlainToolCall {...props} />
  // If the page's own component fails, the plain form of the call is shown.
  const shown = Own ? <Boundary fallback={() => plain}>{<Own {...props} />}</Boundary> : plain
  return <KeepPlace waits={waits}>{shown}</KeepPlace>
}

export function PlainToolCall({ call, agent, origin, onResolve }: ToolCallProps): ReactNode {
  const [lastAnswer, setLastAnswer] = useState<{ readonly answer: ResolveResult; readonly at: number }>()
  const hold = useCardHold(call.hold)
  if (hold && onResolve && forPeople(hold)) {
    const resolve = async (resolution: Resolution): Promise<ResolveResult> => {
      const answer = await onResolve(call, resolution)
      // Kept here, because the card is removed when the hold is resolved.
      setLastAnswer({ answer, at: Date.now() })
      return answer
    }
    return (
      <HoldCard key={hold.nth} hold={hold} onResolve={resolve} agent={agent} origin={origin} resolved={call.resolved} />
    )
  }
  const late = lastAnswer && lastAnswer.answer.verdict !== 'accepted' ? lastAnswer : undefined
  return (
    <div className="grid grid-cols-1 gap-2">
      <CallLine call={call} />
      {late && <VerdictNotice {...late} />}
    </div>
  )
}

/** Only approvals and questions have a card. Calls of browsers and workers show their progress. */
function forPeople(hold: ViewCall['hold']): boolean {
  return hold?.kind === 'approval' || hold?.kind === 'elicitation'
}

function CallLine({ call }: { readonly call: ViewCall }): ReactNode {
  const names = usePeopleNames()
  const { state, word } = stateOf(call, names)
  return (
    <Collapsible.Root className="rounded-md border border-border bg-card text-sm">
      <Collapsible.Trigger className="group flex w-full items-center gap-2.5 rounded-md px-3 py-1.5 text-start outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring">
        <Mark state={state} />
        <code className="min-w-0 truncate font-mono text-[0.92em]">
          <ShownText text={call.name} />
        </code>
        <span className="min-w-0 grow truncate text-xs text-muted-foreground">{word}</span>
        <span
          aria-hidden
          className="text-muted-foreground transition-transform group-data-[state=open]:rotate-90 rtl:-scale-x-100"
        >
          ›
        </span>
      </Collapsible.Trigger>
      {call.state !== 'settled' && (call.progress !== undefined || (call.streaming && isAtWork(call))) && (
        <div className="px-3 pb-2">
          <Progress value={call.progress} />
        </div>
      )}
      <Collapsible.Content className="grid grid-cols-1 gap-3 border-t border-border px-3 py-2.5">
        <Labelled label={call.malformed === undefined ? 'Input' : `Invalid input: ${call.malformed}`}>
          <JsonValue value={call.state === 'settled' || call.malformed === undefined ? call.input : call.proposed} />
        </Labelled>
        {call.rule && (
          <Labelled label={`Decided by rule ${call.rule.rule.id}, version ${call.rule.rule.version}`}>
            <ShownText text={call.rule.why} />
          </Labelled>
        )}
        {call.resolved.length > 0 && (
          <Labelled label="Answers">
            <ul className="grid grid-cols-1 gap-1">
              {call.resolved.map((resolution) => (
                <li key={`${resolution.nth} ${resolution.at}`}>
                  <ShownText text={resolvedWords(resolution, names)} />
                </li>
              ))}
            </ul>
          </Labelled>
        )}
        {call.state === 'settled' && <Outcome outcome={call.outcome} />}
        {call.state === 'settled' && call.arrived && (
          <>
            <p className="text-xs text-muted-foreground">Later answer:</p>
            <Outcome outcome={call.arrived.outcome} />
          </>
        )}
      </Collapsible.Content>
    </Collapsible.Root>
  )
}

/** The call runs on the server, or waits for a browser or a worker. */
function isAtWork({ state, hold }: ViewCall): boolean {
  return state === 'running' || (state === 'held' && !forPeople(hold))
}

type Settled = Extract<ViewCall, { readonly state: 'settled' }>

export function Outcome({ outcome }: { readonly outcome: Settled['outcome'] }): ReactNode {
  return outcome.ok ? (
    <Labelled label="Result">
      <JsonValue value={outcome.value} />
      {outcome.file && (
        <FileLink file={{ ...outcome.file, name: 'The whole result' }} saveAs={resultName(outcome.file)} />
      )}
    </Labelled>
  ) : (
    <Labelled label={`No result: ${outcome.error.code}`}>
      <span className="text-destructive">
        <ShownText text={outcome.error.message} />
      </span>
      {outcome.error.details !== undefined && <JsonValue value={outcome.error.details} />}
    </Labelled>
  )
}

function resultName({ mediaType }: { readonly mediaType: string }): string {
  return mediaType === 'application/json' ? 'result.json' : 'result.txt'
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-1">
      <h4 className="text-xs text-muted-foreground">{label}</h4>
      {children}
    </div>
  )
}

type State = 'running' | 'held' | 'done' | 'failed'

function stateOf(call: ViewCall, names: PeopleNames): { readonly state: State; readonly word: string } {
  const last = call.resolved.at(-1)
  switch (call.state) {
    case 'ready':
      return { state: 'running', word: 'about to run' }
    case 'running':
      return { state: 'running', word: call.attempt > 1 ? `running, for the ${ordinal(call.attempt)} time` : 'running' }
    case 'held':
      return { state: 'held', word: WAITS[call.hold.kind] }
    case 'settled':
      if (call.outcome.ok) return { state: 'done', word: last ? resolvedWords(last, names) : doneWord(call) }
      return { state: 'failed', word: call.outcome.error.message }
  }
}

function doneWord({ rule }: ViewCall): string {
  return rule?.effect === 'allow' ? 'done, allowed by a rule' : 'done'
}

const WAITS = {
  approval: 'waiting for approval',
  elicitation: 'waiting for an answer',
  client: 'waiting for the user’s browser',
  external: 'waiting for a worker',
} as const

const MARKS: Readonly<Record<State, string>> = {
  running: 'bg-ring animate-pulse motion-reduce:animate-none',
  held: 'bg-held',
  done: 'bg-ok',
  failed: 'bg-destructive',
}

function Mark({ state }: { readonly state: State }): ReactNode {
  return <span aria-hidden className={`size-2 shrink-0 rounded-full ${MARKS[state]}`} />
}
