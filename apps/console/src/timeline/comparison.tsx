/** A recorded turn and its replay, step by step. A difference is a word, and not only a colour. */
import type { ReactNode } from 'react'
import type { Json, ReplayedTurn } from '@holdpoint/client'
import { changesBetween, JsonChanges, JsonValue, ShownText } from '@holdpoint/ui'
import { wordDiff } from '../replay/word-diff.ts'

type Step = ReplayedTurn['recorded']['steps'][number]

export function Comparison({ turn }: { readonly turn: ReplayedTurn }): ReactNode {
  const { recorded, replayed, differences } = turn
  const steps = Math.max(recorded.steps.length, replayed.steps.length)
  return (
    <div className="grid gap-2" aria-label="Comparison" role="group">
      <p role="status" className="text-sm font-medium">
        {summaryOf(turn)}
      </p>
      <div
        className="overflow-x-auto rounded-lg border border-border bg-card"
        tabIndex={0}
        role="group"
        aria-label="Steps"
      >
        <table className="w-full min-w-[36rem] table-fixed border-collapse text-sm">
          <thead className="text-xs text-muted-foreground">
            <tr>
              <th scope="col" className="w-24 px-3 py-2 text-start font-normal">
                Step
              </th>
              <th scope="col" className="px-3 py-2 text-start font-normal">
                Recorded
              </th>
              <th scope="col" className="px-3 py-2 text-start font-normal">
                Replayed
              </th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: steps }, (_, index) => (
              <tr key={index} className="border-t border-border align-top">
                <th scope="row" className="px-3 py-2 text-start text-xs font-normal">
                  {index + 1}
                  <br />
                  {differences.some(({ step }) => step === index + 1) ? (
                    <b className="text-held">differs</b>
                  ) : (
                    'the same'
                  )}
                </th>
                <Cell step={recorded.steps[index]} />
                <Cell step={replayed.steps[index]} />
              </tr>
            ))}
          </tbody>
          <tfoot className="text-xs text-muted-foreground tabular-nums">
            <tr className="border-t border-border">
              <th scope="row" className="px-3 py-2 text-start font-normal">
                Tokens
              </th>
              {[recorded, replayed].map(({ inputTokens, outputTokens, cost }, index) => (
                <td key={index} className="px-3 py-2">
                  {inputTokens} in, {outputTokens} out
                  {cost !== undefined && `, cost ${cost.toFixed(4)}`}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      {differences.length > 0 && <Differences differences={differences} />}
    </div>
  )
}

/** What differs, in the words of the texts and the members of the arguments. */
function Differences({ differences }: { readonly differences: ReplayedTurn['differences'] }): ReactNode {
  return (
    <ul aria-label="Differences" className="grid gap-2 text-sm">
      {differences.map((each, index) => (
        <li key={index} className="grid gap-1 rounded-lg border border-border bg-card px-3 py-2">
          <span className="text-xs text-muted-foreground">Step {each.step}</span>
          {each.what === 'text' ? (
            <TextDifference before={each.recorded ?? ''} after={each.replayed ?? ''} />
          ) : (
            <CallDifference recorded={each.recorded} replayed={each.replayed} />
          )}
        </li>
      ))}
    </ul>
  )
}

function TextDifference({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  return (
    <p dir="auto" className="[overflow-wrap:anywhere]">
      {wordDiff(before, after).map(({ kind, text }, index) => {
        if (kind === 'same') return <ShownText key={index} text={text} />
        const Mark = kind === 'removed' ? 'del' : 'ins'
        return (
          <Mark key={index} className={kind === 'removed' ? 'bg-destructive/10' : 'bg-ok-muted'}>
            <ShownText text={text} />
          </Mark>
        )
      })}
    </p>
  )
}

type Asked = { readonly name: string; readonly input: Json } | undefined

function CallDifference({ recorded, replayed }: { readonly recorded: Asked; readonly replayed: Asked }): ReactNode {
  if (recorded && replayed)
    return (
      <>
        <span>
          <code className="font-mono text-xs">{replayed.name}</code> with other arguments
        </span>
        <JsonChanges changes={changesBetween(recorded.input, replayed.input)} />
      </>
    )
  return (
    <>
      <span>
        <code className="font-mono text-xs">{(recorded ?? replayed)?.name}</code>{' '}
        {recorded ? 'was called in the recorded turn only' : 'was called in the replay only'}
      </span>
      <JsonValue value={(recorded ?? replayed)?.input ?? null} depth={1} />
    </>
  )
}

function summaryOf({ sameCalls, sameTools, sameText, stopped, message }: ReplayedTurn): string {
  const calls = sameCalls ? 'The same calls' : sameTools ? 'The same tools with other arguments' : 'Other calls'
  const end =
    stopped === 'no-result'
      ? 'the replay ended at a call that the recorded turn has no result of'
      : stopped === 'failed'
        ? `the replay failed: ${message ?? ''}`
        : sameText
          ? 'the same final text'
          : 'another final text'
  return `${calls}; ${end}.`
}

function Cell({ step }: { readonly step: Step | undefined }): ReactNode {
  return (
    <td className="px-3 py-2 [overflow-wrap:anywhere]">
      {step === undefined ? (
        <span className="text-muted-foreground">no such step</span>
      ) : (
        <div className="grid gap-2">
          {step.text !== '' && (
            <p dir="auto">
              <ShownText text={step.text} />
            </p>
          )}
          {step.calls.map(({ name, input }, index) => (
            <div key={index} className="grid gap-1">
              <code className="font-mono text-xs text-muted-foreground">{name}</code>
              <JsonValue value={input} depth={1} />
            </div>
          ))}
        </div>
      )}
    </td>
  )
}
