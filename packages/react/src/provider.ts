import { createContext, createElement, use, useEffect, useMemo, type ReactNode } from 'react'
import type { Client, ToolsOfClient } from '@holdpoint/client'
import { Page } from './page.ts'

export interface HoldpointProviderProps {
  readonly client: Client
  /** Run on this page, by the names under which agents know them. May be another object at every render. */
  readonly tools?: ToolsOfClient
  readonly children?: ReactNode
}

const Context = createContext<Page | undefined>(undefined)
const NO_TOOLS: ToolsOfClient = {}
const ToolsContext = createContext<ToolsOfClient>(NO_TOOLS)

export function HoldpointProvider({ client, tools = NO_TOOLS, children }: HoldpointProviderProps): ReactNode {
  const page = useMemo(() => new Page(client), [client])
  useEffect(() => page.setTools(tools), [page, tools])
  return createElement(Context, { value: page }, createElement(ToolsContext, { value: tools }, children))
}

export function usePage(): Page {
  const page = use(Context)
  if (!page) throw new TypeError('There is no <HoldpointProvider client={…}> around this component.')
  return page
}

export function useClient(): Client {
  return usePage().client
}

/** The tools that run on this page by themselves. */
export function usePageTools(): ToolsOfClient {
  return use(ToolsContext)
}
