/**
 * Checks rules: a rule decides only while it is in force, only calls that it fits, and never more of them than it may. Every change
 * of a rule is seen here when the store commits it, whichever node made it.
 */
import type { Json, LogEvent, Rule } from '@holdpoint/core'
import type { CallRecord } from './call-record.ts'
import type { ConversationRecord } from './conversation-record.ts'
import type { Judge } from './violation.ts'

interface Known {
  readonly rule: Rule
  readonly savedAt: number
  readonly revokedAt: number | undefined
}

export class RuleChecks {
  readonly #judge: Judge
  readonly #now: () => number
  /** Since when a node can have worked on a conversation; undefined for a node that is gone. */
  readonly #worksSince: (node: string | undefined, conversation: string) => number | undefined
  readonly #rules = new Map<string, Known>()
  /** The rules of calls that they allowed and that have not started yet. */
  readonly #allowed = new Map<string, string>()
  /** By rule and version: the calls that used it. */
  readonly #used = new Map<string, Set<string>>()
  /** By call: since when the process that wrote its reply had the conversation. */
  readonly #repliedBy = new Map<string, number>()

  constructor(
    judge: Judge,
    now: () => number,
    worksSince: (node: string | undefined, conversation: string) => number | undefined,
  ) {
    this.#judge = judge
    this.#now = now
    this.#worksSince = worksSince
  }

  get ids(): readonly string[] {
    return [...this.#rules].flatMap(([id, { revokedAt }]) => (revokedAt === undefined ? [id] : []))
  }

  /** A rule that allowed a call which has not started yet. */
  get waitedFor(): string | undefined {
    return [...this.#allowed.values()].at(-1)
  }

  /** Whether a rule denies such a call, or did at some time. */
  mayDeny(tool: string, input: Json): boolean {
    return [...this.#rules.values()].some(({ rule }) => rule.effect === 'deny' && fits(rule, { tool, input }))
  }

  /** The store committed a rule. */
  put(rule: Rule): void {
    const { id, version, uses = Infinity, used, calls, expiresAt = Infinity, revoked } = rule
    const say = (what: string) => (): string => `rule ${id}, version ${version}: ${what}`
    const before = this.#rules.get(id)
    const of = this.#usedOf(rule)
    const newest = calls.filter(({ callId }) => !of.has(callId))
    if (newest.length > 0) {
      this.#judge.require(!before?.rule.revoked, 'rule-in-force', say('used after it was revoked'))
      this.#judge.require(
        newest.every(({ at }) => at < expiresAt),
        'rule-in-force',
        say('used after it expired'),
      )
    }
    for (const { callId } of newest) of.add(callId)
    this.#judge.require(used <= uses && of.size <= uses, 'rule-uses', say(`${of.size} uses of ${uses}`))
    const now = this.#now()
    this.#rules.set(id, {
      rule,
      savedAt: before && before.rule.version === version ? before.savedAt : now,
      revokedAt: revoked ? (before?.revokedAt ?? now) : undefined,
    })
  }

  follow(record: ConversationRecord, events: readonly LogEvent[], writer: string | undefined): void {
    const since = this.#worksSince(writer, record.id)
    for (const event of events) {
      if (event.type === 'model.replied' && since !== undefined)
        for (const part of event.reply.parts) if (part.type === 'call') this.#repliedBy.set(part.callId, since)
      const call = 'callId' in event ? record.calls.get(event.callId) : undefined
      if (!call) continue
      if (event.type === 'call.judged') this.#judged(call, event)
      if (event.type === 'call.cleared' && call.agreed?.byRule)
        this.#allowed.set(event.callId, call.agreed.byRule.rule.id)
      if (event.type === 'call.started' || event.type === 'call.settled') this.#allowed.delete(event.callId)
      if (event.type === 'call.started') this.#started(call, since)
    }
  }

  #judged(call: CallRecord, { decision }: Extract<LogEvent, { readonly type: 'call.judged' }>): void {
    if (!decision || decision.ignored !== undefined) return
    const { rule, effect } = decision
    const say = (what: string) => (): string => `call ${call.callId} (${call.tool}): ${effect} by ${rule.id}, ${what}`
    const used = this.#used.get(`${rule.id} ${rule.version}`)?.has(call.callId) === true
    this.#judge.require(used, 'rule-uses', say('which does not count it'))
    const known = this.#rules.get(rule.id)?.rule
    this.#judge.require(known !== undefined && fits(known, call), 'rule-fits', say(`which does not fit it`))
  }

  /** A process that got the conversation after a rule was changed has read the rule since. */
  #started(call: CallRecord, since: number | undefined): void {
    const say = (what: string) => (): string => `call ${call.callId} (${call.tool}) starts: ${what}`
    const { rule } = call.agreed?.byRule ?? {}
    const known = rule && this.#rules.get(rule.id)
    const late = known?.revokedAt !== undefined && since !== undefined && since > known.revokedAt
    this.#judge.require(
      !late,
      'rule-in-force',
      say(`its rule ${rule?.id} was revoked before this process had the conversation`),
    )
    // A person may have been asked instead: the definition of the tool changed, or the rules could not be read.
    if ((call.agreed?.people ?? 0) > 0) return
    const repliedBy = this.#repliedBy.get(call.callId) ?? -Infinity
    for (const { rule: deny, savedAt, revokedAt } of this.#rules.values()) {
      const inForce = deny.effect === 'deny' && revokedAt === undefined && savedAt < repliedBy && fits(deny, call)
      this.#judge.require(!inForce, 'deny-followed', say(`rule ${deny.id} denies it`))
    }
  }

  #usedOf({ id, version }: Rule): Set<string> {
    const key = `${id} ${version}`
    const of = this.#used.get(key) ?? new Set()
    this.#used.set(key, of)
    return of
  }
}

/** The rules of a simulation have one condition: a range of `n`. */
function fits({ tool, when }: Rule, call: Pick<CallRecord, 'tool' | 'input'>): boolean {
  const [condition] = when
  const { min = -Infinity, max = Infinity } = condition && 'range' in condition ? condition.range : {}
  const n = Number((call.input as { readonly n?: Json }).n)
  return tool === call.tool && n >= min && n <= max
}
