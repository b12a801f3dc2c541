import { useId, useState, type ReactNode } from 'react'
import { Button } from '@holdpoint/ui'
import { INPUT, useTitle } from '../parts.tsx'
import { goToSignIn, type Provider } from '../person-session.ts'
import { signInWithKey } from '../session.ts'

interface Asked {
  readonly why: string | undefined
  readonly provider: Provider | undefined
}

/** With a provider, people sign in there, and a key is the second choice. */
export function SignInScreen({ why, provider }: Asked): ReactNode {
  const [usesKey, setUsesKey] = useState(false)
  useTitle('Sign in')
  return (
    <main className="grid h-full place-items-center px-4">
      <div className="grid w-full max-w-md gap-4">
        <img src="/mark.svg" alt="" className="size-9" />
        <h1 className="text-xl font-semibold tracking-tight">
          {provider ? 'Sign in to Holdpoint' : 'Sign in with an API key'}
        </h1>
        {provider && why !== undefined && (
          <p role="alert" className="text-sm">
            {why}
          </p>
        )}
        {provider && (
          <div className="flex flex-wrap gap-2">
            <Button look="strong" onClick={goToSignIn}>
              Sign in with {provider.name}
            </Button>
            {!usesKey && (
              <Button look="quiet" onClick={() => setUsesKey(true)}>
                Use a key
              </Button>
            )}
          </div>
        )}
        {(usesKey || !provider) && <KeyForm why={provider ? undefined : why} isSecond={provider !== undefined} />}
      </div>
    </main>
  )
}

function KeyForm({ why, isSecond }: { readonly why: string | undefined; readonly isSecond: boolean }): ReactNode {
  const [key, setKey] = useState('')
  const id = useId()
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        void signInWithKey(key.trim())
      }}
    >
      <p className="text-sm text-muted-foreground">
        {isSecond
          ? 'Keys are for programs. This tab keeps the key until you close it.'
          : 'The gateway printed a key when it started for the first time. This tab keeps the key until you close it. A gateway on your own machine also prints an address with a code, which opens the console without a key.'}
      </p>
      <label htmlFor={id} className="sr-only">
        Key
      </label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        autoFocus={isSecond}
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
      <Button
        type="submit"
        look={isSecond ? 'plain' : 'strong'}
        disabled={key.trim() === ''}
        className="justify-self-start"
      >
        {isSecond ? 'Sign in with the key' : 'Sign in'}
      </Button>
    </form>
  )
}
