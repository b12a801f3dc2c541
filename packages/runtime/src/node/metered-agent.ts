/** An agent within the quotas of a tenant: its models wait until they may be called. */
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { Model } from '@holdpoint/core/internal/model/model'
import type { Ports } from '@holdpoint/core/internal/ports'

/** Resolves when a model may be called, or when the signal aborts. */
type Admit = (signal: AbortSignal) => Promise<void>

/** The summarizer decides by identity whether a model is one of the agent's own, so each model has one wrapper. */
export function meteredAgent(agent: Agent, admit: Admit, admitPlan: Ports['admitPlan']): Agent {
  const made = new Map<Model, Model>()
  const metered = (model: Model): Model => {
    const known = made.get(model) ?? meteredModel(model, admit)
    made.set(model, known)
    return known
  }
  const { summarize } = agent.context
  return {
    ...agent,
    model: metered(agent.model),
    fallback: agent.fallback.map(metered),
    ports: { ...agent.ports, ...(admitPlan && { admitPlan }) },
    context: {
      ...agent.context,
      ...(summarize?.model && { summarize: { ...summarize, model: metered(summarize.model) } }),
    },
  }
}

function meteredModel(model: Model, admit: Admit): Model {
  return {
    id: model.id,
    stream: (request) => ({
      forEach: async (take) => {
        await admit(request.signal)
        if (request.signal.aborted) return
        const parts = model.stream(request)
        if (parts.forEach) return parts.forEach(take)
        for await (const part of parts) if (!request.signal.aborted) take(part)
      },
      async *[Symbol.asyncIterator]() {
        await admit(request.signal)
        if (!request.signal.aborted) yield* model.stream(request)
      },
    }),
  }
}
