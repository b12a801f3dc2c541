import { useId, useState, type ReactNode } from 'react'
import { Button } from '@holdpoint/ui'
import { INPUT, useTitle } from '../parts.tsx'
import type { CallerRow } from '@holdpoint/client'
import { enter, resume, type Session } from '../session.ts'

export function KeyScreen({ why }: { readonly why: string | undefined }): ReactNode {
  const [key, setKey] = useState('')
  const id = useId()
  useTitle('Key')
  return (
    <main className="grid h-full place-items-center px-4">
      <form
        className="grid w-full max-w-md gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void enter(key.trim())
        }}
      >
        <img src="/mark.svg" alt="" className="size-9" />
        <h1 className="text-xl font-semibold tracking-tight">A key opens the console</h1>
        <p className="text-sm text-muted-foreground">
          The gateway printed one when it was started for the first time. It stays in this tab, and is forgotten with
          it. A gateway on your own machine prints an address with a code, which opens the console without a key.
        </p>
        <label htmlFor={id} className="sr-only">
          Key
        </label>
        <input
          id={id}
          type="password"
          autoComplete="off"
          placeholder="hp_…"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          className={`${INPUT} h-9 font-mono`}
          aria-describedby={why === undefined ? undefined : `${id}-why`}
        />
        {why !== undefined && (
          <p role="alert" id={`${id}-why`} className="text-sm text-destructive">
            {why}
          </p>
        )}
        <Button type="submit" look="strong" disabled={key.trim() === ''} className="justify-self-start">
          Open
        </Button>
      </form>
    </main>
  )
}

/** A link brought a key. Nothing is done with it before the person has read whose it is. */
export function KeyOfferScreen({
  offer: { key, caller, now },
}: {
  readonly offer: Extract<Session, { readonly state: 'offered' }>
}): ReactNode {
  useTitle('Key')
  return (
    <main className="grid h-full place-items-center px-4">
      <div className="grid w-full max-w-md gap-4">
        <img src="/mark.svg" alt="" className="size-9" />
        <h1 className="text-xl font-semibold tracking-tight">Sign in with the key of this link?</h1>
        <p className="text-sm text-muted-foreground">
          What you write and approve after that belongs to the tenant of the key. Go on only if you expected this link.
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border border-border bg-card px-4 py-3 text-sm">
          <Fact name="Gateway">{location.host}</Fact>
          <Fact name="Tenant">{tenantWords(caller)}</Fact>
          <Fact name="Key of">{caller.by}</Fact>
          <Fact name="It may">{caller.scopes.join(', ') || 'do nothing'}</Fact>
        </dl>
        {now && (
          <p role="alert" className="text-sm text-destructive">
            This tab is signed in to the tenant {tenantWords(now)} as {now.by}. Signing in with the link ends that.
          </p>
        )}
        <div className="flex gap-2">
          <Button look="strong" onClick={() => void resume()}>
            {now ? 'Stay as you are' : 'Do not sign in'}
          </Button>
          <Button onClick={() => void enter(key)}>Sign in</Button>
        </div>
      </div>
    </main>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted-foreground">{name}</dt>
      <dd className="font-mono break-all">{children}</dd>
    </>
  )
}

function tenantWords({ tenant }: CallerRow): string {
  return tenant === '' ? '(without a name)' : tenant
}
