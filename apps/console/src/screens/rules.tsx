/** The rules of the tenant: what runs without a question, what is asked about, and what is denied; with their uses. */
import { useState, type ReactNode } from 'react'
import type { RuleRow } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, Countdown, errorWords, PersonName, ShownText, useNow } from '@holdpoint/ui'
import { addressOf, Empty, ErrorNotice, INPUT, Screen, TextLink } from '../parts.tsx'
import { useBy } from '../preferences.ts'
import { Backtest } from '../rules/backtest.tsx'
import { textOf } from '../rules/text-of.ts'

export function RulesScreen(): ReactNode {
  const [search, setSearch] = useState('')
  const { value, loading, error, refresh } = useWatched(`rules ${search}`, (client, signal) =>
    client.rules.list({ limit: 200, ...(search.trim() !== '' && { search: search.trim() }) }, { signal }),
  )
  const rules = (value?.items ?? []).toSorted((a, b) => ended(a) - ended(b) || b.savedAt - a.savedAt)
  return (
    <Screen
      title="Rules"
      note="What happens to calls without a person being asked each time. The strictest rule that matches decides. Save one with “Approve and remember” on an approval."
      actions={
        <input
          type="search"
          aria-label="Search rules"
          placeholder="Search"
          className={INPUT}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      }
    >
      {error && <ErrorNotice error={error} />}
      {!loading && !error && rules.length === 0 && (
        <Empty title={search.trim() === '' ? 'No rules yet' : 'No rule has this text'}>
          Open an approval and choose <b className="font-medium">Approve and remember</b>. Only tools that let rules
          take the place of an approval offer it.
        </Empty>
      )}
      <ul aria-label="Rules" className="grid gap-3">
        {rules.map((rule) => (
          <RuleItem key={rule.id} rule={rule} onChanged={refresh} />
        ))}
      </ul>
      {value?.next !== undefined && (
        <p className="text-sm text-muted-foreground">Only the first 200 rules are shown.</p>
      )}
    </Screen>
  )
}

const LOOKS: Readonly<Record<RuleRow['effect'], readonly [word: string, look: string]>> = {
  allow: ['allow', 'border-ok/50 text-ok'],
  ask: ['ask', 'border-held/50 text-held'],
  deny: ['deny', 'border-destructive/50 text-destructive'],
}

function ended({ revoked, expiresAt = Infinity, uses = Infinity, used }: RuleRow): 0 | 1 {
  return revoked !== undefined || expiresAt <= Date.now() || used >= uses ? 1 : 0
}

function RuleItem({ rule, onChanged }: { readonly rule: RuleRow; readonly onChanged: () => void }): ReactNode {
  const [testing, setTesting] = useState(false)
  const [word, look] = LOOKS[rule.effect]
  const over = ended(rule) === 1
  return (
    <li className={`grid grid-cols-1 gap-2 rounded-lg border border-border px-4 py-3 text-sm ${over ? '' : 'bg-card'}`}>
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <span className={`rounded-full border px-2 text-xs ${look}`}>{word}</span>
        {rule.shadow && <span className="rounded-full border border-border px-2 text-xs">shadow</span>}
        <span
          dir="auto"
          className={`min-w-0 [overflow-wrap:anywhere] ${over ? 'text-muted-foreground' : 'font-medium'}`}
        >
          <ShownText text={rule.words} />
        </span>
      </p>
      {rule.reason !== undefined && (
        <p dir="auto" className="text-muted-foreground">
          <ShownText text={rule.reason} />
        </p>
      )}
      <Facts rule={rule} />
      <Uses rule={rule} />
      {!over && <Actions rule={rule} testing={testing} onTest={() => setTesting(!testing)} onChanged={onChanged} />}
      {testing && <Backtest rule={rule} />}
    </li>
  )
}

function Facts({ rule }: { readonly rule: RuleRow }): ReactNode {
  const { author, savedAt, version, expiresAt, revoked } = rule
  const now = useNow()
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted-foreground">
      <span>
        by <PersonName id={author.id} /> <Ago at={savedAt} />
      </span>
      <span>version {version}</span>
      {revoked ? (
        <span className="text-destructive">
          revoked by <PersonName id={revoked.by} /> <Ago at={revoked.at} />
          {revoked.reason !== undefined && (
            <>
              : <ShownText text={revoked.reason} />
            </>
          )}
        </span>
      ) : (
        expiresAt !== undefined && (expiresAt <= now ? <span>expired</span> : <Countdown until={expiresAt} />)
      )}
    </p>
  )
}

function Uses({ rule: { used, uses, calls, shadow } }: { readonly rule: RuleRow }): ReactNode {
  const times = used === 1 ? 'once' : `${used} times`
  const words = shadow ? `Would have decided ${times}` : `Used ${times}`
  if (used === 0)
    return <p className="text-xs text-muted-foreground">{shadow ? 'Has not met a call yet' : 'Not used yet'}</p>
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-muted-foreground">
        {words}
        {uses !== undefined && ` of ${uses}`}, last <Ago at={calls.at(-1)?.at ?? 0} />
      </summary>
      <ul className="mt-1.5 grid gap-0.5 ps-4">
        {calls.toReversed().map(({ conversationId, callId, at }) => (
          <li key={callId}>
            <TextLink to={addressOf.conversation(conversationId)}>
              <ShownText text={conversationId} />
            </TextLink>{' '}
            <Ago at={at} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Actions({
  rule,
  testing,
  onTest,
  onChanged,
}: {
  readonly rule: RuleRow
  readonly testing: boolean
  readonly onTest: () => void
  readonly onChanged: () => void
}): ReactNode {
  const client = useClient()
  const by = useBy()
  const [sure, setSure] = useState(false)
  const [problem, setProblem] = useState<string>()
  const act = (work: Promise<unknown>): void =>
    void work.then(onChanged, (error: unknown) =>
      setProblem(error instanceof Error ? errorWords(error) : String(error)),
    )
  const as = by === undefined ? {} : { by }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button small aria-expanded={testing} onClick={onTest}>
        Try on past calls
      </Button>
      {rule.may.change && rule.shadow && (
        <Button
          small
          onClick={() => act(client.rules.change(rule.id, { ...textOf(rule), ...as, version: rule.version }))}
        >
          Enforce
        </Button>
      )}
      {rule.may.change && !sure && (
        <Button small look="destructive" onClick={() => setSure(true)}>
          Revoke…
        </Button>
      )}
      {sure && (
        <>
          <Button small look="destructive" onClick={() => act(client.rules.revoke(rule.id, as))}>
            Really revoke
          </Button>
          <Button small look="quiet" onClick={() => setSure(false)}>
            Keep it
          </Button>
        </>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-xs text-destructive">
          <ShownText text={problem} />
        </p>
      )}
    </div>
  )
}
