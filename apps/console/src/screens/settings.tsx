import { useId, useState, type ReactNode } from 'react'
import type { KeyRow, Scope } from '@holdpoint/client'
import { useClient, useWatched } from '@holdpoint/react'
import { Ago, Button, Countdown } from '@holdpoint/ui'
import { INPUT, Screen, Trouble } from '../parts.tsx'
import { setPreferences, usePreferences, type Preferences } from '../preferences.ts'
import { leave } from '../session.ts'

export function SettingsScreen(): ReactNode {
  return (
    <Screen title="Settings">
      <You />
      <Keys />
      <section className="grid justify-items-start gap-2">
        <h2 className="text-base font-semibold">This tab</h2>
        <p className="text-sm text-muted-foreground">
          It keeps its key until it is closed. What the console does, programs do over HTTP: the API, with a page to try
          it, is at{' '}
          <a
            className="rounded-sm text-ring underline decoration-ring/40 underline-offset-3 outline-none hover:decoration-ring focus-visible:ring-2 focus-visible:ring-ring"
            href="/api/docs"
          >
            /api/docs
          </a>
          .
        </p>
        <Button onClick={leave}>Forget the key</Button>
      </section>
    </Screen>
  )
}

function You(): ReactNode {
  const { name, theme } = usePreferences()
  const id = useId()
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-semibold">You</h2>
      <div className="grid max-w-sm gap-1">
        <label htmlFor={id} className="text-sm">
          Your name
        </label>
        <input
          id={id}
          className={INPUT}
          value={name}
          placeholder="as it stands with your answers"
          onChange={(event) => setPreferences({ name: event.target.value.trim() })}
        />
        <p className="text-xs text-muted-foreground">
          What you say and approve is written down under it. Without one it says “you”, or names the key you came with.
        </p>
      </div>
      <fieldset className="flex gap-3 text-sm">
        <legend className="mb-1">Light or dark</legend>
        {(['system', 'light', 'dark'] as const satisfies readonly Preferences['theme'][]).map((each) => (
          <label key={each} className="flex items-center gap-1.5">
            <input
              type="radio"
              name="theme"
              className="accent-(--ring)"
              checked={theme === each}
              onChange={() => setPreferences({ theme: each })}
            />
            {each === 'system' ? 'as the system' : each}
          </label>
        ))}
      </fieldset>
    </section>
  )
}

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['agent', 'talks to agents'],
  ['resolver', 'answers holds'],
  ['worker', 'carries out external calls'],
  ['reader', 'reads'],
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
      {error && <Trouble error={error} />}
      <NewKey
        onMake={async (name, scope) => {
          const { key } = await client.keys.create({ name, scopes: [scope] })
          setMade(key)
          refresh()
        }}
      />
      {made !== undefined && (
        <div role="status" className="grid gap-1 rounded-md border border-ok/40 bg-ok-muted px-3 py-2 text-sm">
          <span>Shown this once. Copy it now:</span>
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
              <span className="ms-2 font-mono text-xs text-muted-foreground">{key.scopes.join(', ')}</span>
            </span>
            <span className="text-xs text-muted-foreground max-sm:row-start-2">
              made <Ago at={key.createdAt} />
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

/** Whoever uses it is locked out at once, so it is asked twice. */
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

function NewKey({ onMake }: { readonly onMake: (name: string, scope: Scope) => Promise<void> }): ReactNode {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('resolver')
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void onMake(name.trim(), scope).then(() => setName(''))
      }}
    >
      <input
        aria-label="Name of the new key"
        className={`${INPUT} w-48`}
        placeholder="what it is for"
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
      <Button type="submit" disabled={name.trim() === ''}>
        Make a key
      </Button>
    </form>
  )
}
