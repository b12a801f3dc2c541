import { useId, useState, type ReactNode } from 'react'
import { Button } from '@holdpoint/ui'
import { INPUT, useTitle } from '../parts.tsx'
import { enter } from '../session.ts'

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
          it.
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
