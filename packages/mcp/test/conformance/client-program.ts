/**
 * Our client for the conformance package: an agent that calls every tool of the given server, and a person who accepts
 * every question without changes.
 */
import type { JsonObject } from '@holdpoint/core'
import { agent, holdpoint, type Model } from 'holdpoint'
import { mcpServers } from '../../src/index.ts'
import { eventually, storeInMemory } from '../kit.ts'

const url = process.argv.at(-1) ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[]
}
const store = storeInMemory()
const mcp = mcpServers({ store, servers: [{ name: 's', url, timeout: 60_000 }] })

/** Calls the given tools, or all tools, once. */
const diligent: Model = {
  id: 'diligent',
  async *stream({ prompt, tools }) {
    if (prompt.at(-1)?.role === 'user') {
      const specs = tools.flatMap((tool) =>
        tool.kind === 'function' ? [{ name: tool.name, schema: tool.inputSchema }] : [],
      )
      const calls = context.toolCalls
        ? context.toolCalls.map(({ name, arguments: input }) => ({ name: `s__${name}`, input: withoutNulls(input) }))
        : specs.map(({ name, schema }) => ({ name, input: { ...exampleOf(schema), ...echo(name, specs) } }))
      for (const [n, { name, input }] of calls.entries())
        yield { type: 'call', id: `c${n}`, name, input: JSON.stringify(input) }
      if (calls.length > 0) {
        yield { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
        return
      }
    }
    yield { type: 'text', id: 't', delta: 'Done.' }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

/** Leaves out fields that the schema does not allow, as a model with structured output would. */
function withoutNulls(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** One scenario checks a schema as the model receives it. */
function echo(name: string, specs: readonly { readonly name: string; readonly schema: JsonObject }[]): JsonObject {
  const other = specs.find((each) => each.name !== name)
  return name === 's__json_schema_echo' && other ? { schema: other.schema } : {}
}

function exampleOf(schema: JsonObject): JsonObject {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>
  const required = (schema['required'] ?? Object.keys(properties)) as readonly string[]
  return Object.fromEntries(required.map((key) => [key, exampleFor(properties[key] ?? {})]))
}

function exampleFor({ type, enum: choices, default: given }: JsonObject): string | number | boolean {
  if (given !== undefined) return given as string
  if (Array.isArray(choices)) return choices[0] as string
  if (type === 'number' || type === 'integer') return 5
  return type === 'boolean' ? true : 'text'
}

const runtime = await holdpoint({
  store,
  agents: [agent({ name: 'desk', model: diligent, plugins: [mcp.plugin], maxParallel: 1 })],
})
await runtime.submit('c', 'Call everything')
await eventually(async () => {
  for (const { callId, kind, answerSchema, nth } of (await runtime.pending()).items)
    if (kind === 'elicitation')
      await runtime.answer('c', callId, exampleOf({ properties: {}, required: [], ...required(answerSchema) }), {
        hold: nth,
      })
  return (await runtime.view('c'))?.status === 'idle' ? true : undefined
}, 360_000)
if (process.env['SHOW'])
  for (const event of await runtime.events('c'))
    if (event.type === 'call.settled') console.error(JSON.stringify(event.outcome).slice(0, 300))
await runtime.close()
await mcp.close()

/** Only required fields. The others have defaults. */
function required(schema: JsonObject | undefined): JsonObject {
  return schema ? { properties: schema['properties'] ?? {}, required: schema['required'] ?? [] } : {}
}
