import type { ReactNode } from 'react'
import { ShownText } from './shown-text.tsx'

/** A call while the model writes its arguments. */
export function CallInput({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <div className="flex items-center gap-2.5 rounded-md border border-border bg-card px-3 py-1.5 text-sm">
      <span
        aria-hidden
        className="size-2 shrink-0 animate-pulse rounded-full bg-muted-foreground motion-reduce:animate-none"
      />
      <code className="shrink-0 font-mono text-[0.92em]">
        <ShownText text={name} />
      </code>
      <code dir="ltr" className="min-w-0 grow truncate font-mono text-xs text-muted-foreground">
        {text.slice(-200)}
      </code>
    </div>
  )
}
