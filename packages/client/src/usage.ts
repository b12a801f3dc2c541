import { paths } from '@holdpoint/protocol'
import type { ModelUsage, ToolUsage, UsageFilter, UsagePage } from '@holdpoint/runtime'
import type { Http, RequestOptions } from './http.ts'

export interface UsageReport extends UsagePage {
  /** Of `cost`. Undefined when the gateway has no prices. */
  readonly currency?: string
}

export interface Usage {
  /**
   * Tokens, cost and calls by day, agent, model and tool, of all conversations. It asks for page after page and adds them up.
   * `counted` is called after each page.
   */
  report(
    query?: Omit<UsageFilter, 'after'>,
    options?: RequestOptions & { readonly counted?: (sum: UsageReport) => void },
  ): Promise<UsageReport>
}

export function usageOf(http: Http): Usage {
  return {
    report: async (query, { counted, ...options } = {}) => {
      let sum: UsageReport | undefined
      for (;;) {
        const after = sum?.next
        const asked = { ...query, ...(after !== undefined && { after }) }
        const page = await http.get<UsageReport>(paths.usageReport(), options, asked)
        sum = sum ? added(sum, page) : page
        counted?.(sum)
        if (page.next === undefined) return sum
      }
    },
  }
}

function added(sum: UsageReport, page: UsageReport): UsageReport {
  return {
    ...page,
    models: merged([...sum.models, ...page.models], ({ day, agent, model }) => [day, agent, model], addModel),
    tools: merged([...sum.tools, ...page.tools], ({ day, agent, tool }) => [day, agent, tool], addTool),
    conversations: sum.conversations + page.conversations,
    cut: sum.cut + page.cut,
    unreadable: sum.unreadable + page.unreadable,
    next: page.next,
  }
}

function merged<T>(rows: readonly T[], keyOf: (row: T) => readonly string[], add: (a: T, b: T) => T): readonly T[] {
  const found = new Map<string, T>()
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row))
    const before = found.get(key)
    found.set(key, before === undefined ? row : add(before, row))
  }
  return [...found.values()]
}

function addModel(a: ModelUsage, b: ModelUsage): ModelUsage {
  const cost = a.cost === undefined && b.cost === undefined ? {} : { cost: (a.cost ?? 0) + (b.cost ?? 0) }
  return {
    ...a,
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    ...cost,
  }
}

function addTool(a: ToolUsage, b: ToolUsage): ToolUsage {
  return {
    ...a,
    calls: a.calls + b.calls,
    held: a.held + b.held,
    failed: a.failed + b.failed,
    runMs: a.runMs + b.runMs,
  }
}
