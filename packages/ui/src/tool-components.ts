/** Which component shows a call, by the name of its tool: in conversations and in spaces. */
import { createContext, use, type ComponentType, type ReactNode } from 'react'
import type { Resolution, ResolveAnswer, ViewCall } from '@holdpoint/client'

export interface ToolCallProps {
  readonly call: ViewCall
  readonly agent?: string | undefined
  /** What else is to be said about where a call that waits comes from. */
  readonly origin?: ReactNode
  /** For a call that waits. Without it, nothing can be said here. */
  readonly onResolve?: ((call: ViewCall, resolution: Resolution) => Promise<ResolveAnswer>) | undefined
}

export interface ToolComponents {
  readonly by_name: Readonly<Record<string, ComponentType<ToolCallProps>>>
  /** For tools that have no component of their own; `PlainToolCall` by default. */
  readonly Fallback?: ComponentType<ToolCallProps>
}

export const ToolComponentsContext: React.Context<ToolComponents> = createContext<ToolComponents>({ by_name: {} })

/** Undefined where the call is shown as it is. */
export function useToolComponent(name: string): ComponentType<ToolCallProps> | undefined {
  const { by_name: byName, Fallback } = use(ToolComponentsContext)
  return Object.hasOwn(byName, name) ? byName[name] : Fallback
}
