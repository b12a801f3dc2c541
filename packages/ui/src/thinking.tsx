import * as Collapsible from '@radix-ui/react-collapsible'
import type { ReactNode } from 'react'

/** The reasoning of the model, collapsed, because it is not part of the reply. */
export function Thinking({
  text,
  streaming = false,
}: {
  readonly text: string
  readonly streaming?: boolean
}): ReactNode {
  return (
    <Collapsible.Root className="text-sm">
      <Collapsible.Trigger className="group flex items-center gap-1.5 rounded-sm text-xs text-muted-foreground outline-none hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring">
        <span aria-hidden className="transition-transform group-data-[state=open]:rotate-90 rtl:-scale-x-100">
          ›
        </span>
        <span className={streaming ? 'animate-pulse motion-reduce:animate-none' : ''}>
          {streaming ? 'Thinking…' : 'Thoughts'}
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content>
        <p
          dir="auto"
          className="mt-1 border-s border-border ps-3 break-words whitespace-pre-wrap text-muted-foreground [overflow-wrap:anywhere]"
        >
          {text}
        </p>
      </Collapsible.Content>
    </Collapsible.Root>
  )
}
