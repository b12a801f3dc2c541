/**
 * A backtest: what rules would have decided about the calls in the logs of a tenant, beside what people decided. It reads logs and
 * writes nothing.
 */
import { copyJson, isPlain, toJson, type Json } from '@holdpoint/core/internal/json'
import type { Finding } from '@holdpoint/core/internal/rule/judge-by-rules'
import type { RuleEvaluator } from '@holdpoint/core/internal/rule/rule-evaluator'
import { recordedCalls, type Decided, type RecordedCall } from '@holdpoint/core/internal/rule/recorded-calls'
import type { Rule, RuleDecision, RuleText } from '@holdpoint/core/internal/rule/rule'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { Engine } from '../node/engine.ts'

export interface BacktestOptions {
  /** Only calls made since this time. Default: all. */
  readonly since?: number
  /** The most calls. Default: 1000. At most 10,000. */
  readonly calls?: number
}

export interface BacktestResult {
  /** How many calls of the rules' tools were found. */
  readonly calls: number
  /** What the rules would have done: nothing (`none`) leaves a call to its gate. */
  readonly would: Readonly<Record<'allow' | 'ask' | 'deny' | 'none', number>>
  /** The calls for which the rules decide otherwise than people or the gate did, newest first; at most 200. */
  readonly differences: readonly BacktestDifference[]
  /** How many there are. */
  readonly differ: number
  /** Calls that rules would allow, and that a person approved: approvals that need no click any more. */
  readonly saved: number
  /** There are older calls, which were not read. */
  readonly more: boolean
}

export interface BacktestDifference {
  readonly conversationId: string
  readonly callId: string
  readonly tool: string
  readonly input: Json
  readonly at: number
  readonly decided: Decided
  readonly by?: string
  readonly would: RuleDecision
}

const MOST_DIFFERENCES = 200
const PAGE = 250

export async function backtest(
  engine: Engine,
  tenant: string,
  evaluator: RuleEvaluator,
  texts: readonly RuleText[],
  { since = 0, calls: most = 1000 }: BacktestOptions,
): Promise<BacktestResult> {
  const rules = texts.map(asRule)
  const tools = new Set(texts.map(({ tool }) => tool))
  const would = { allow: 0, ask: 0, deny: 0, none: 0 }
  const differences: BacktestDifference[] = []
  let [count, saved, more] = [0, 0, false]
  for await (const { conversationId, call } of callsOfTenant(engine, tenant, tools, since)) {
    if (count === most) {
      more = true
      break
    }
    count++
    const decision = await decide(engine, tenant, evaluator, conversationId, call, rules)
    would[decision?.effect ?? 'none']++
    if (decision?.effect === 'allow' && call.decided === 'approved') saved++
    if (!decision || agrees(decision, call)) continue
    const { callId, tool, input, at, decided, by } = call
    const { by: _rule, ...said } = decision
    differences.push({ conversationId, callId, tool, input, at, decided, ...(by !== undefined && { by }), would: said })
  }
  const newest = differences.toSorted((a, b) => b.at - a.at).slice(0, MOST_DIFFERENCES)
  return { calls: count, would, differences: newest, differ: differences.length, saved, more }
}

/** A rule that decides always, also if it would be in shadow mode, or used up. */
function asRule({ shadow: _shadow, uses: _uses, expiresAt: _expires, ...text }: RuleText, index: number): Rule {
  const author = { id: 'backtest', kind: 'program' } as const
  return { ...text, id: `${index + 1}`, version: 1, author, createdAt: index, savedAt: index, used: 0, calls: [] }
}

async function decide(
  engine: Engine,
  tenant: string,
  evaluator: RuleEvaluator,
  conversation: string,
  call: RecordedCall,
  rules: readonly Rule[],
): Promise<Finding | undefined> {
  const tool = (await engine.agents.find(tenant, call.agent))?.toolbox.tools.get(call.tool)
  const facts = {
    callId: call.callId,
    tool: call.tool,
    // The log of a call without a gate does not name the definition of its tool.
    fingerprint:
      call.fingerprint ?? tool?.fingerprint ?? rules.find((rule) => rule.tool === call.tool)?.fingerprint ?? '',
    input: call.validated || !tool ? call.input : await validated(tool, call.input),
    conversation,
    agent: call.agent,
    people: call.people,
    now: call.at,
  }
  const { decision } = evaluator.judge(rules, facts)
  if (decision?.effect !== 'allow' || !call.strictGate) return decision
  const ignored = 'The tool did not let rules take the place of an approval.'
  return { ...decision, effect: 'ask', ignored }
}

async function validated(tool: Tool, raw: Json): Promise<Json | undefined> {
  const checked = await tool.input.check(copyJson(raw))
  if (!checked.ok) return undefined
  const json = isPlain(checked.value) ? toJson(checked.value) : undefined
  return json?.ok ? json.value : undefined
}

/** Whether the call would have gone the same way. To ask about a call that a person decided is the same way. */
function agrees({ effect }: Finding, { decided }: RecordedCall): boolean {
  switch (effect) {
    case 'allow':
      return decided === 'approved' || decided === 'ran'
    case 'ask':
      return decided !== 'ran' && decided !== 'denied'
    case 'deny':
      return decided === 'denied' || decided === 'rejected'
  }
}

interface CallOfTenant {
  readonly conversationId: string
  readonly call: RecordedCall
}

async function* callsOfTenant(
  { store }: Engine,
  tenant: string,
  tools: ReadonlySet<string>,
  since: number,
): AsyncGenerator<CallOfTenant> {
  for (let after: string | undefined; ;) {
    const page = await store.list({ tenant, limit: 50, ...(after !== undefined && { after }) })
    for (const { id, updatedAt } of page.items) {
      if (updatedAt < since) continue
      const events = []
      for (let seq = 0; ;) {
        const read = await store.read({ tenant, id }, seq, PAGE)
        if (read.length === 0) break
        events.push(...read)
        seq = read.at(-1)!.seq
      }
      for (const call of recordedCalls(events).toReversed())
        if (tools.has(call.tool) && call.at >= since) yield { conversationId: id, call }
    }
    if (page.next === undefined) return
    after = page.next
  }
}
