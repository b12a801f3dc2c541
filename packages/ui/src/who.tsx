import type { ReactNode } from 'react'
import { asPlainText } from './hidden-characters.ts'
import { ShownText } from './shown-text.tsx'
import { Ago } from './time.tsx'

export interface WhoProps {
  readonly name: string
  /** A tooltip, such as the id of a person. */
  readonly title?: string | undefined
  readonly at?: number
  readonly note?: string | undefined
}

/** The line above a message: its author and its time. */
export function Who({ name, title, at, note }: WhoProps): ReactNode {
  return (
    <p className="flex flex-wrap gap-x-2 text-xs text-muted-foreground">
      <b title={title && asPlainText(title)} className="min-w-0 truncate font-medium text-foreground">
        <ShownText text={name} />
      </b>
      {note !== undefined && <span>{note}</span>}
      {at !== undefined && <Ago at={at} />}
    </p>
  )
}
