import type { ReactNode } from 'react'
import type { PendingHold, Resolution, ResolveResult } from '@holdpoint/client'
import { ActingAsContext, HoldCard, type HoldDiscussionHandlers, type Kept } from '@holdpoint/ui'
import { useBy } from '../preferences.ts'
import { Origin } from './origin.tsx'

export interface OpenHoldProps {
  readonly kept: Kept<PendingHold>
  readonly discussion: HoldDiscussionHandlers
  readonly onAnswer: (hold: PendingHold, resolution: Resolution) => Promise<ResolveResult>
}

export function OpenHold({ kept: { item: hold, gone }, discussion, onAnswer }: OpenHoldProps): ReactNode {
  return (
    <ActingAsContext value={useBy()}>
      <HoldCard
        hold={hold}
        gone={gone}
        agent={hold.agent}
        origin={<Origin hold={hold} />}
        discussion={discussion}
        onResolve={(resolution) => onAnswer(hold, resolution)}
      />
      <p className="text-xs text-muted-foreground max-lg:hidden">
        <Key>j</Key> <Key>k</Key> next and previous · <Key>a</Key> then <Key>Enter</Key> approve · <Key>e</Key> edit ·{' '}
        <Key>r</Key> reject · <Key>x</Key> select
      </p>
    </ActingAsContext>
  )
}

function Key({ children }: { readonly children: ReactNode }): ReactNode {
  return <kbd className="rounded-sm border border-border bg-card px-1 font-mono text-[0.9em]">{children}</kbd>
}
