/** Explains why nothing is loaded, or why updates stopped. Shows nothing while the connection works. */
import type { ReactNode } from 'react'
import type { Connection } from '@holdpoint/client'
import { Button } from './button.tsx'
import { errorWords } from './error-words.ts'
import { ShownText } from './shown-text.tsx'

export interface ConnectionNoticeProps {
  readonly connection: Connection
  /** Whether there is anything to show already. */
  readonly loaded: boolean
  readonly onRetry: () => void
}

export function ConnectionNotice({ connection, loaded, onRetry }: ConnectionNoticeProps): ReactNode {
  if (connection.state === 'stopped')
    return (
      <div role="alert" className="mx-auto flex w-full max-w-3xl flex-wrap items-center gap-3 px-4 py-3 text-sm">
        <p className="min-w-0 text-destructive">
          {loaded ? 'This page no longer updates' : 'This cannot be loaded'}:{' '}
          <ShownText text={errorWords(connection.error)} />
        </p>
        <Button small onClick={onRetry}>
          Try again
        </Button>
      </div>
    )
  if (loaded || connection.state === 'live') return null
  const error = connection.state === 'waiting' ? connection.error : undefined
  return (
    <p role="status" className="mx-auto w-full max-w-3xl px-4 py-3 text-sm text-muted-foreground">
      {error ? (
        <>
          Not loaded yet, retrying: <ShownText text={errorWords(error)} />
        </>
      ) : (
        'Loading…'
      )}
    </p>
  )
}
