/** The components that draw calls, by tool name, in conversations and in spaces. */
import { createContext, use, type ComponentType, type ReactNode } from 'react'
import type { Resolution, ResolveResult, ViewCall } from '@holdpoint/client'

export interface ToolCallProps {
  readonly call: ViewCall
  readonly agent?: string | undefined
  /** Where a waiting call comes from, for instance a link to its conversation. */
  readonly origin?: ReactNode
  /** Answers a waiting call. Without it, the call cannot be answered here. */
  readonly onResolve?: ((call: ViewCall, resolution: Resolution) => Promise<ResolveResult>) | undefined
}

export interface ToolComponents {
  readonly by_name: Readonly<Record<string, ComponentType<ToolCallProps>>>
  /** For tools that have no component of their own; `PlainToolCall` by default. */
  readonly Fallback?: ComponentType<ToolCallProps>
}

export const ToolComponentsContext: React.Context<ToolComponents> = createContext<ToolComponents>({ by_name: {} })

/** Undefined if the call is drawn in its plain form. */
export function useToolComponent(name: string): ComponentType<ToolCallProps> | undefined {
  const { by_name: byName, Fallback } = use(ToolComponentsContext)
  return Object.hasOwn(byName, name) ? byName[name] : Fallback
}
