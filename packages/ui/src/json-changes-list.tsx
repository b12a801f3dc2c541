import type { ReactNode } from 'react'
import type { JsonChange } from './json-changes.ts'
import { JsonValue } from './json-value.tsx'
import { ShownText } from './shown-text.tsx'

/** Shows each difference with the values before and after. */
export function JsonChanges({ changes }: { readonly changes: readonly JsonChange[] }): ReactNode {
  return (
    <ul aria-label="Changes" className="grid grid-cols-1 gap-2 text-sm">
      {changes.map((change, index) => (
        // Two paths may be equal as text, because a key may have a dot, so the index is part of the key.
        <li key={`${index} ${change.path}`} className="grid grid-cols-1 gap-1">
          <span className="font-mono text-xs text-muted-foreground">
            {change.path === '' ? 'whole value' : <ShownText text={change.path} />}
          </span>
          {change.kind !== 'added' && (
            <del className="block border-s-2 border-destructive/60 bg-destructive/5 px-2 py-1 no-underline">
              <span className="sr-only">before: </span>
              <JsonValue value={change.before} depth={1} />
            </del>
          )}
          {change.kind !== 'removed' && (
            <ins className="block border-s-2 border-ok/70 bg-ok-muted px-2 py-1 no-underline">
              <span className="sr-only">now: </span>
              <JsonValue value={change.after} depth={1} />
            </ins>
          )}
        </li>
      ))}
    </ul>
  )
}
