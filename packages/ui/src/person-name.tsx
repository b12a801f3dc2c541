import type { ReactNode } from 'react'
import { asPlainText } from './hidden-characters.ts'
import { usePeopleNames } from './people-names.ts'
import { ShownText } from './shown-text.tsx'
import { whoWords } from './who-words.ts'

/** A person by their display name, with the id as a tooltip. */
export function PersonName({ id }: { readonly id: string }): ReactNode {
  return (
    <b title={asPlainText(id)} className="font-medium text-foreground">
      <ShownText text={whoWords(id, usePeopleNames())} />
    </b>
  )
}
