/** Shared by the tests: an agent with a scripted model that uses MCP servers, and the outcomes of its calls. */
import { memoryStore, type CallOutcome, type JsonObject, type Store } from '@holdpoint/core'
import { scriptedModel, type Script, type ScriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, type AgentOptions, type HeldCall, type Runtime } from 'holdpoint'
import { mcpServers, type McpServers, type McpServersOptions } from '../src/index.ts'

export interface TestAgent {
  readonly store: Store
  readonly mcp: McpServers
  readonly runtime: Runtime
  readonly model: ScriptedModel
  /** The first hold of the conversation. */
  held(conversation?: string): Promise<HeldCall>
  outcome(conversation?: string): Promise<CallOutcome>
  close(): Promise<void>
}

export function storeInMemory(): Store {
  return memoryStore({ now: Date.now })
}

export async function startAgent(
  scripts: readonly Script[],
  options: Omit<McpServersOptions, 'store'> & { readonly store?: Store; readonly agent?: Partial<AgentOptions> },
): Promise<TestAgent> {
  const { store = storeInMemory(), agent: more = {}, ...rest } = options
  const mcp = mcpServers({ ...rest, store })
  const model = scriptedModel(scripts)
  const { plugins = [], ...settings } = more
  const desk = agent({ name: 'desk', model, ...settings, plugins: [mcp.plugin, ...plugins] })
  const runtime = await holdpoint({ store, agents: [desk] })
  return {
    store,
    mcp,
    runtime,
    model,
    held: async (conversation = 'c') => {
      const { items } = await runtime.pending({ conversationId: conversation })
      const [hold] = items
      if (!hold) throw new Error(`Nothing is held in ${conversation}.`)
      return hold
    },
    outcome: async (conversation = 'c') => {
      const events = await store.read({ tenant: '', id: conversation }, 0)
      const settled = events.findLast((event) => event.type === 'call.settled')
      if (settled?.type !== 'call.settled') throw new Error(`No call of ${conversation} has its outcome.`)
      return settled.outcome
    },
    close: async () => {
      await runtime.close()
      await mcp.close()
    },
  }
}

export function call(name: string, input: JsonObject = {}): Script {
  return { calls: [{ name, input }] }
}

/** A call, then a final reply. */
export function calling(name: string, input?: JsonObject): readonly Script[] {
  return [call(name, input), 'Done.']
}

/** Polls until there is a value. It waits for other processes, so it uses real time. */
export async function eventually<T>(look: () => Promise<T | undefined> | T | undefined, ms = 20_000): Promise<T> {
  const until = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > until) throw new Error(`Timed out: ${look.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Waits until the turn is over, including its holds. */
export async function over({ runtime }: TestAgent, conversation = 'c'): Promise<void> {
  await eventually(async () => {
    const view = await runtime.view(conversation)
    return view?.status === 'idle' ? true : undefined
  }, 40_000)
}

export function valueOf(outcome: CallOutcome): unknown {
  if (!outcome.ok) throw new Error(`It failed: ${outcome.error.message}`)
  return outcome.value
}

export function errorOf(outcome: CallOutcome): string {
  if (outcome.ok) throw new Error(`It did not fail: ${JSON.stringify(outcome.value)}`)
  return outcome.error.message
}
