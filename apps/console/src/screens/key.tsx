import type { ReactNode } from 'react'
import { Button } from '@holdpoint/ui'
import { useTitle } from '../parts.tsx'
import type { CallerRow } from '@holdpoint/client'
import { signInWithKey, resume, type Session } from '../session.ts'

/** A link had a key. The console uses it only after the user has seen its tenant and owner and agreed. */
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
        <h1 className="text-xl font-semibold tracking-tight">Sign in with the key in this link?</h1>
        <p className="text-sm text-muted-foreground">
          Your messages and approvals will then belong to the tenant of this key. Sign in only if you expected this
          link.
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border border-border bg-card px-4 py-3 text-sm">
          <Fact name="Gateway">{location.host}</Fact>
          <Fact name="Tenant">{tenantWords(caller)}</Fact>
          <Fact name="Key">{caller.by}</Fact>
          <Fact name="Rights">{caller.scopes.join(', ') || 'none'}</Fact>
        </dl>
        {now && (
          <p role="alert" className="text-sm text-destructive">
            This tab is signed in to the tenant {tenantWords(now)} as {now.by}. Signing in with the link ends that
            session.
          </p>
        )}
        <div className="flex gap-2">
          <Button look="strong" onClick={() => void resume()}>
            {now ? 'Stay signed in' : 'Do not sign in'}
          </Button>
          <Button onClick={() => void signInWithKey(key)}>Sign in</Button>
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
  return tenant === '' ? '(unnamed)' : tenant
}
