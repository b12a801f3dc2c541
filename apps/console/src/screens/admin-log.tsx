/** The audit log of administrative actions, newest first, with a check of its chain. */
import { useState, type ReactNode } from 'react'
import type { AdminEntry, AdminLogCheck } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, errorWords, JsonValue, PersonName, ShownText } from '@holdpoint/ui'
import { Empty, ErrorNotice, Screen } from '../parts.tsx'
import { SigningKeys } from './signing-keys.tsx'

type Begun = Extract<AdminEntry, { readonly kind: 'begun' }>

export function AdminLogScreen(): ReactNode {
  const client = useClient()
  const { value, loading, error } = useWatched('admin log', (from, signal) =>
    from.adminLog.list({ limit: 200 }, { signal }),
  )
  const [check, setCheck] = useState<AdminLogCheck | Error>()
  const entries = value?.items ?? []
  const ended = new Map(entries.flatMap((each) => (each.kind === 'ended' ? [[each.of, each.status] as const] : [])))
  const verify = (): void =>
    void client.adminLog
      .verify()
      .then(setCheck, (failure: unknown) => setCheck(failure instanceof Error ? failure : new Error(String(failure))))
  return (
    <Screen
      title="Audit log"
      note="Administrative actions: keys, rules, agents, people, members, erasure and exports. Each entry has the hash of the one before."
      actions={<Button onClick={verify}>Check the chain</Button>}
    >
      {error && <ErrorNotice error={error} />}
      {check && <Check check={check} />}
      {value && <SigningKeys newest={entries[0]} />}
      {!loading && !error && entries.length === 0 && <Empty title="No administrative action was taken yet" />}
      <ul aria-label="Actions" className="divide-y divide-border rounded-lg border border-border bg-card empty:hidden">
        {entries.map(
          (entry) => entry.kind === 'begun' && <Entry key={entry.n} entry={entry} status={ended.get(entry.n)} />,
        )}
      </ul>
      {value?.next !== undefined && (
        <p className="text-sm text-muted-foreground">Only the newest 200 entries are shown.</p>
      )}
    </Screen>
  )
}

function Check({ check }: { readonly check: AdminLogCheck | Error }): ReactNode {
  if (check instanceof Error)
    return (
      <p role="alert" className="text-sm text-destructive">
        {errorWords(check)}
      </p>
    )
  const { entries, broken, head } = check
  return (
    <div role="status" className="grid gap-1 rounded-md border border-border px-3 py-2 text-sm">
      {broken === undefined
        ? `The chain of ${entries} entries is whole.`
        : `The chain is broken at entry ${broken}: it was changed, or it is missing.`}
      {head !== undefined && (
        <span className="text-xs [overflow-wrap:anywhere] text-muted-foreground">
          Keep this hash outside of the database to notice later that the newest entries were removed: {head}
        </span>
      )}
    </div>
  )
}

function Entry({ entry, status }: { readonly entry: Begun; readonly status: number | undefined }): ReactNode {
  const { n, at, by, auth, action, target, details } = entry
  const targets = Object.entries(target).map(([name, value]) => targetWords(name, value))
  return (
    <li className="px-4 py-2.5 text-sm">
      <details>
        <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-3 gap-y-1">
          <code className="font-mono">{action}</code>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <ShownText text={targets.join(' · ')} />
          </span>
          <span
            className={
              status !== undefined && status < 400 ? 'text-xs text-muted-foreground' : 'text-xs text-destructive'
            }
          >
            {outcomeWords(status)}
          </span>
          <span className="ms-auto text-xs text-muted-foreground">
            <PersonName id={by} /> <Ago at={at} />
          </span>
        </summary>
        <div className="mt-2 grid gap-2 ps-4 text-xs text-muted-foreground">
          <p>
            Entry {n}, authenticated by {auth}.
          </p>
          {details !== undefined && <JsonValue value={details} />}
        </div>
      </details>
    </li>
  )
}

/** What an action is about is named by its value. A switch, such as `hashes=true`, means nothing without its name. */
function targetWords(name: string, value: string): string {
  return value === 'true' || value === 'false' ? `${name}: ${value}` : value
}

function outcomeWords(status: number | undefined): string {
  if (status === undefined) return 'not ended: the process stopped, or it still runs'
  return status < 400 ? 'done' : `refused with ${status}`
}
