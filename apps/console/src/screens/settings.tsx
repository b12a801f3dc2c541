import { useId, useState, type ReactNode } from 'react'
import type { CallerRow, CreateKey, KeyRow, Scope } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, Countdown } from '@holdpoint/ui'
import { Delegations } from '../delegations.tsx'
import { Notifications } from '../notifications.tsx'
import { INPUT, Screen, ErrorNotice, TextLink } from '../parts.tsx'
import { PersonData } from '../person/person-data.tsx'
import { setPreferences, usePreferences, type Preferences } from '../preferences.ts'
import { forgetKey, useSession } from '../session.ts'
import { useCaller } from '../use-me.ts'

export function SettingsScreen(): ReactNode {
  const session = useSession()
  const person = session.state === 'in' ? session.person : undefined
  const caller = useCaller()
  return (
    <Screen title="Settings">
      <You person={person} />
      <Delegations />
      <Notifications />
      {caller?.scopes.includes('admin') && <Keys />}
      {caller?.scopes.includes('admin') && <PersonData />}
      {caller?.scopes.includes('admin') && (
        <section className="grid justify-items-start gap-2">
          <h2 className="text-base font-semibold">Administration</h2>
          <p className="text-sm text-muted-foreground">
            Who created keys, saved rules, changed people and members, erased and exported:{' '}
            <TextLink to="/admin-log">open the audit log</TextLink>.
          </p>
          <p className="text-sm text-muted-foreground">
            Messages to people, and webhooks: <TextLink to="/deliveries">open the deliveries</TextLink>.
          </p>
        </section>
      )}
      <section className="grid justify-items-start gap-2">
        <h2 className="text-base font-semibold">{person ? 'API' : 'This tab'}</h2>
        <p className="text-sm text-muted-foreground">
          {!person && 'This tab keeps its key until you close it. '}
          Programs can do everything that the console does. To try the HTTP API, open{' '}
          <a
            className="rounded-sm text-ring underline decoration-ring/40 underline-offset-3 outline-none hover:decoration-ring focus-visible:ring-2 focus-visible:ring-ring"
            href="/api/docs"
          >
            /api/docs
          </a>
          .
        </p>
        {!person && <Button onClick={() => void forgetKey()}>Sign out</Button>}
      </section>
    </Screen>
  )
}

function You({ person }: { readonly person: CallerRow | undefined }): ReactNode {
  const { name, theme } = usePreferences()
  const id = useId()
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">You</h2>
      {person ? (
        <p className="max-w-prose text-sm">
          {person.name ?? person.by}
          <span className="block text-xs text-muted-foreground">
            Your messages and answers are stored under the id {person.by}.
            {person.groups?.length ? ` Your groups: ${person.groups.join(', ')}.` : ' You are in no group.'}
          </span>
        </p>
      ) : (
        <div className="grid max-w-sm gap-1">
          <label htmlFor={id} className="text-sm">
            Your name
          </label>
          <input
            id={id}
            className={INPUT}
            value={name}
            placeholder="shown with your answers"
            onChange={(event) => setPreferences({ name: event.target.value.trim() })}
          />
          <p className="text-xs text-muted-foreground">
            Your messages and answers are stored under this name. Without one, they are stored as “you” or under the
            name of your key.
          </p>
        </div>
      )}
      <fieldset className="flex gap-3 text-sm">
        <legend className="mb-1">Theme</legend>
        {(['system', 'light', 'dark'] as const satisfies readonly Preferences['theme'][]).map((each) => (
          <label key={each} className="flex items-center gap-1.5">
            <input
              type="radio"
              name="theme"
              className="accent-(--ring)"
              checked={theme === each}
              onChange={() => setPreferences({ theme: each })}
            />
            {each === 'system' ? 'same as the system' : each}
          </label>
        ))}
      </fieldset>
    </section>
  )
}

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['agent', 'send messages to agents'],
  ['resolver', 'approve and answer calls'],
  ['worker', 'run external calls'],
  ['reader', 'read only'],
  ['admin', 'everything'],
]

function Keys(): ReactNode {
  const client = useClient()
  const { value, error, refresh } = useWatched('keys', (from, signal) => from.keys.list({ limit: 200 }, { signal }))
  const [made, setMade] = useState<string>()
  const revoke = async ({ id }: KeyRow): Promise<void> => {
    await client.keys.revoke(id)
    refresh()
  }
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">Keys</h2>
      {error && <ErrorNotice error={error} />}
      <NewKey
        onMake={async (wanted) => {
          const { key } = await client.keys.create(wanted)
          setMade(key)
          refresh()
        }}
      />
      {made !== undefined && (
        <div role="status" className="grid gap-1 rounded-md border border-ok/40 bg-ok-muted px-3 py-2 text-sm">
          <span>This key is shown only once. Copy it now:</span>
          <code className="font-mono break-all select-all">{made}</code>
        </div>
      )}
      <ul className="divide-y divide-border rounded-lg border border-border bg-card">
        {(value?.items ?? []).map((key) => (
          <li
            key={key.id}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 text-sm sm:grid-cols-[minmax(0,1fr)_auto_auto]"
          >
            <span className="truncate">
              <b className="font-medium">{key.name}</b>{' '}
              <span className="ms-2 font-mono text-xs text-muted-foreground">
                {key.scopes.join(', ')}
                {key.tools && ` · only ${key.tools.join(', ')}`}
                {key.tenants && ` · in ${key.tenants.join(', ')}`}
              </span>
            </span>
            <span className="text-xs text-muted-foreground max-sm:row-start-2">
              created <Ago at={key.createdAt} />
              {key.expiresAt !== undefined && (
                <>
                  {' · '}
                  <Countdown until={key.expiresAt} />
                </>
              )}
            </span>
            <span className="max-sm:row-span-2 max-sm:row-start-1 max-sm:col-start-2">
              <Revoke name={key.name} onRevoke={() => revoke(key)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Programs that use the key are locked out at once, so a second click confirms. */
function Revoke({ name, onRevoke }: { readonly name: string; readonly onRevoke: () => Promise<void> }): ReactNode {
  const [sure, setSure] = useState(false)
  return (
    <Button
      small
      look="destructive"
      aria-label={sure ? `Really revoke ${name}` : `Revoke ${name}`}
      onClick={() => (sure ? void onRevoke() : setSure(true))}
      onBlur={() => setSure(false)}
    >
      {sure ? 'Really revoke' : 'Revoke'}
    </Button>
  )
}

function NewKey({ onMake }: { readonly onMake: (key: CreateKey) => Promise<void> }): ReactNode {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('resolver')
  const [tools, setTools] = useState('')
  const limitedTo = scope === 'worker' ? namesIn(tools) : []
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        const limit = limitedTo.length > 0 && { tools: limitedTo }
        void onMake({ name: name.trim(), scopes: [scope], ...limit }).then(() => setName(''))
      }}
    >
      <input
        aria-label="Name of the new key"
        className={`${INPUT} w-48`}
        placeholder="what the key is for"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <select
        aria-label="What the new key may do"
        className={INPUT}
        value={scope}
        onChange={(event) => setScope(event.target.value as Scope)}
      >
        {SCOPES.map(([each, words]) => (
          <option key={each} value={each}>
            {each}: {words}
          </option>
        ))}
      </select>
      {scope === 'worker' && (
        <input
          aria-label="Tools of the worker, separated by commas"
          className={`${INPUT} w-64`}
          placeholder="all tools, or: ship, pay"
          value={tools}
          onChange={(event) => setTools(event.target.value)}
        />
      )}
      <Button type="submit" disabled={name.trim() === ''}>
        Create key
      </Button>
    </form>
  )
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
