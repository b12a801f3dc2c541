/** What a rule would have decided about calls in the log, beside what people decided. */
import { useEffect, useState, type ReactNode } from 'react'
import type { BacktestDifference, BacktestResult, RuleRow } from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import { Ago, JsonValue, ShownText } from '@holdpoint/ui'
import { addressOf, ErrorNotice, TextLink } from '../parts.tsx'
import { textOf } from './text-of.ts'

export function Backtest({ rule }: { readonly rule: RuleRow }): ReactNode {
  const client = useClient()
  const [result, setResult] = useState<BacktestResult | Error>()
  useEffect(() => {
    const over = new AbortController()
    // An expired or a used-up rule is tested as it was when it was in force.
    const { expiresAt: _expires, uses: _uses, ...text } = textOf(rule)
    client.rules.backtest({ rules: [text] }, { signal: over.signal }).then(
      (found) => over.signal.aborted || setResult(found),
      (error: unknown) => over.signal.aborted || setResult(error instanceof Error ? error : new Error(String(error))),
    )
    return () => over.abort()
  }, [client, rule])
  if (!result) return <p role="status">Reading past calls…</p>
  if (result instanceof Error) return <ErrorNotice error={result} />
  return <Result result={result} tool={rule.tool} />
}

function Result({ result, tool }: { readonly result: BacktestResult; readonly tool: string }): ReactNode {
  const { calls, would, differences, differ, saved, more } = result
  return (
    <section
      aria-label="Past calls"
      className="grid grid-cols-1 gap-2 rounded-md border border-border bg-background px-3 py-2.5"
    >
      <p>
        {more ? 'The newest ' : ''}
        {calls} past {calls === 1 ? 'call' : 'calls'} of <ShownText text={tool} />: {would.allow} allowed, {would.ask}{' '}
        asked about, {would.deny} denied, {would.none} as before. {saved} approvals would not have needed a person.
      </p>
      <p className={differ === 0 ? 'text-muted-foreground' : 'font-medium'}>
        {differ === 0
          ? 'The rule agrees with what people decided.'
          : `${differ} ${differ === 1 ? 'decision differs' : 'decisions differ'} from what happened${differ > differences.length ? `; the newest ${differences.length}` : ''}:`}
      </p>
      {differences.length > 0 && (
        <ul className="grid grid-cols-1 gap-2">
          {differences.map((difference) => (
            <Difference key={difference.callId} difference={difference} />
          ))}
        </ul>
      )}
    </section>
  )
}

const DECIDED: Readonly<Record<BacktestDifference['decided'], string>> = {
  approved: 'a person approved it',
  rejected: 'a person rejected it',
  expired: 'its approval expired',
  waiting: 'it waits for a person',
  ran: 'it ran without a question',
  denied: 'a rule denied it',
}

const WOULD: Readonly<Record<BacktestDifference['would']['effect'], string>> = {
  allow: 'The rule would allow it',
  ask: 'The rule would ask',
  deny: 'The rule would deny it',
}

function Difference({ difference }: { readonly difference: BacktestDifference }): ReactNode {
  const { conversationId, input, at, decided, by, would } = difference
  return (
    <li className="grid grid-cols-1 gap-1 border-s-2 border-held ps-3">
      <p>
        {WOULD[would.effect]}; {DECIDED[decided]}
        {by !== undefined && (
          <>
            {' ('}
            <ShownText text={by} />)
          </>
        )}
        . <TextLink to={addressOf.conversation(conversationId)}>Open</TextLink>{' '}
        <span className="text-xs text-muted-foreground">
          <Ago at={at} />
        </span>
      </p>
      <JsonValue value={input} />
    </li>
  )
}
