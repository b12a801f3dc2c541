/** Rules and calls for tests. */
import type { CallFacts, Json, Rule, RuleText } from '@holdpoint/core'

const PRINT = 'print-1'

export function text(more: Partial<RuleText> = {}): RuleText {
  return { effect: 'allow', tool: 'email.send', fingerprint: PRINT, when: [], ...more }
}

export function rule(id: string, more: Partial<Rule> = {}): Rule {
  return {
    ...text(),
    id,
    version: 1,
    author: { id: 'ada', kind: 'person' },
    createdAt: 0,
    savedAt: 0,
    used: 0,
    calls: [],
    ...more,
  }
}

export function call(input: Json | undefined, more: Partial<CallFacts> = {}): CallFacts {
  const facts = {
    callId: 'a',
    tool: 'email.send',
    fingerprint: PRINT,
    conversation: 'c',
    agent: 'desk',
    people: ['ada'],
  }
  return { ...facts, input, now: 1000, ...more }
}
