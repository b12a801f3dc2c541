/** Which component shows a call, by the name of its tool. Without one, the call is shown as it is. */
import { createContext, use, type ComponentType, type ReactNode } from 'react'
import type { Resolution, ResolveAnswer, ViewCall } from '@holdpoint/client'

export interface ToolCallProps {
  readonly call: ViewCall
  readonly agent?: string | undefined
  readonly askedBy?: string | undefined
  /** What else is to be said about where a call that waits comes from. */
  readonly origin?: ReactNode
  /** For a call that waits. Without it, nothing can be said here. */
  readonly onResolve?: ((call: ViewCall, resolution: Resolution) => Promise<ResolveAnswer>) | undefined
}

export type ToolComponents = Readonly<Record<string, ComponentType<ToolCallProps>>>

export const ToolComponentsContext: React.Context<ToolComponents> = createContext<ToolComponents>({})

export function useToolComponent(name: string): ComponentType<ToolCallProps> | undefined {
  const components = use(ToolComponentsContext)
  return Object.hasOwn(components, name) ? components[name] : undefined
}
