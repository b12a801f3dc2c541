/** A desk whose tool needs approval, and rules about it. */
import { tool, type Condition, type JsonObject, type LogEvent, type RuleText, type Tool } from 'holdpoint'
import { expect } from 'vitest'
import { z } from 'zod'
import type { Process, Setup } from '../../../../test/kit/runtime-kit.ts'

export const mayRelax = { required: true, rules: 'may-relax' } as const

/** Records each run by its recipient. */
export function mailer(ran: string[], more: object = {}): Tool<{ to: string; amount?: number | undefined }> {
  return tool({
    name: 'email.send',
    description: 'Send an e-mail',
    input: z.object({ to: z.string(), amount: z.number().optional() }),
    approval: mayRelax,
    ...more,
    run: ({ input }) => (ran.push(input.to), 'sent'),
  })
}

export function sends(
  to: string,
  more: JsonObject = {},
): { readonly calls: { readonly name: string; readonly input: JsonObject }[] } {
  return { calls: [{ name: 'email.send', input: { to, ...more } }] }
}

export function desk(ran: string[], setup: Setup = {}, more: object = {}): Setup {
  return { says: [sends('ada@acme.test'), 'Sent.'], tools: [mailer(ran, more)], rules: true, ...setup }
}

const toAda: readonly Condition[] = [{ at: '/to', equals: 'ada@acme.test' }]

export function about(more: Partial<RuleText> = {}): RuleText {
  return { effect: 'allow', tool: 'email.send', fingerprint: mailer([]).fingerprint, when: toAda, ...more }
}

/** Saves a rule and returns its id. */
export async function saved({ runtime }: Process, more: Partial<RuleText> = {}, by = 'grace'): Promise<string> {
  const result = await runtime.rules.save(about(more), { by })
  expect(result).toMatchObject({ ok: true })
  return result.ok ? result.rule.id : ''
}

export function judged(events: readonly LogEvent[]): readonly object[] {
  return events.flatMap((event) => (event.type === 'call.judged' ? [event] : []))
}
