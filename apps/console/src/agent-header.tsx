import type { ReactNode } from 'react'
import { addressOf, Views } from './parts.tsx'

export function AgentHeader({ name, here }: { readonly name: string; readonly here: 'tools' | 'life' }): ReactNode {
  return (
    <Views
      label="Views of the agent"
      views={[
        { to: addressOf.agent(name), name: 'Tools', here: here === 'tools' },
        { to: addressOf.life(name), name: 'Activity', here: here === 'life' },
      ]}
    />
  )
}
