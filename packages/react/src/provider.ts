import { createContext, createElement, use, useEffect, useMemo, type ReactNode } from 'react'
import type { Client, ClientToolSet } from '@holdpoint/client'
import { Page } from './page.ts'

export interface HoldpointProviderProps {
  readonly client: Client
  /** The client tools of this page, by tool name. May be a new object on each render. */
  readonly tools?: ClientToolSet
  readonly children?: ReactNode
}

const Context = createContext<Page | undefined>(undefined)
const NO_TOOLS: ClientToolSet = {}
const ToolsContext = createContext<ClientToolSet>(NO_TOOLS)

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

/** The client tools that run on this page. */
export function usePageTools(): ClientToolSet {
  return use(ToolsContext)
}
