/**
 * The rules of each tenant, one document per rule. Every change of a rule, and every use, is a compare-and-set on its document. So a
 * use and a revocation have an order, and of two processes that take the last use of a rule, one gets it. A use is written before
 * the call passes: a crash in between loses the use, and never lets one call too many pass.
 */
import type { Json } from '@holdpoint/core/internal/json'
import type { Document, Page, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import type { Principal } from '@holdpoint/core/internal/principal'
import { checkRule, type CheckedRule } from '@holdpoint/core/internal/rule/check-rule'
import { judgeByRules } from '@holdpoint/core/internal/rule/judge-by-rules'
import type { RuleEvaluator } from '@holdpoint/core/internal/rule/rule-evaluator'
import { isInForce, type Rule, type RuleRef, type RuleUse } from '@holdpoint/core/internal/rule/rule'
import { ruleWords } from '@holdpoint/core/internal/rule/rule-words'
import { SerialQueue } from '../log/serial-queue.ts'

export type RuleRefusal = 'rule-invalid' | 'rule-missing' | 'rule-changed' | 'limit-reached'

export type RuleResult =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly refusal: RuleRefusal; readonly message: string }

export interface SaveRule {
  readonly by: Principal
  /** The rule that it changes. Default: a new one. */
  readonly id?: string
  /** The version that the author saw. With another version, the change is refused. */
  readonly version?: number
}

export interface RevokeRule {
  readonly by: Principal
  readonly reason?: string
  readonly version?: number
}

export interface RulesQuery {
  readonly tool?: string
  /** A text in the words, the reason, the author or the id of the rule. */
  readonly search?: string
  readonly after?: string
  readonly limit: number
}

const RULE = 'rule'
/** How long a rule is listed after it ended. */
const KEEP_MS = 90 * 86_400_000
/** The most rules of one tool: each call of the tool reads them all. */
const MOST_RULES = 1000
/** How many of its newest calls a rule without `uses` names. */
const NEWEST_CALLS = 10
const PAGE = 250
/** Only other processes cause conflicts. */
const ATTEMPTS = 50

const BUILT_IN: RuleEvaluator = { judge: judgeByRules }

export class RuleStore {
  readonly evaluator: RuleEvaluator
  readonly #store: Store
  readonly #ports: Pick<Ports, 'now' | 'id'>
  /** The changes of each rule by this process, one after the other. */
  readonly #changes = new Map<string, SerialQueue>()

  constructor(store: Store, ports: Pick<Ports, 'now' | 'id'>, evaluator: true | RuleEvaluator) {
    this.evaluator = evaluator === true ? BUILT_IN : evaluator
    this.#store = store
    this.#ports = ports
  }

  /** All rules of a tool, also those that ended. Read from the store each time: a revoked rule must not live on in a cache. */
  async rulesOf(tenant: string, tool: string): Promise<readonly Rule[]> {
    const found: Rule[] = []
    for (let after: string | undefined; ;) {
      const page = await this.#store.documents({
        tenant,
        kind: RULE,
        prefix: idPrefix(tool),
        limit: PAGE,
        ...(after !== undefined && { after }),
      })
      for (const { data } of page.items) found.push(ruleOf(data))
      if (page.next === undefined) return found
      after = page.next
    }
  }

  async find(tenant: string, id: string): Promise<Rule | undefined> {
    const doc = await this.#store.get(tenant, RULE, id)
    return doc && ruleOf(doc.data)
  }

  async list(tenant: string, { tool, search = '', after, limit }: RulesQuery): Promise<Page<Rule>> {
    const wanted = search.toLowerCase()
    const items: Rule[] = []
    for (let from = after; ;) {
      const page = await this.#store.documents({
        tenant,
        kind: RULE,
        limit: PAGE,
        ...(tool !== undefined && { prefix: idPrefix(tool) }),
        ...(from !== undefined && { after: from }),
      })
      for (const { id, data } of page.items) {
        const rule = ruleOf(data)
        if (searchText(rule).includes(wanted)) items.push(rule)
        if (items.length === limit) return { items, next: id === page.items.at(-1)?.id ? page.next : id }
      }
      if (page.next === undefined) return { items, next: undefined }
      from = page.next
    }
  }

  async save(tenant: string, text: unknown, { by, id, version }: SaveRule): Promise<RuleResult> {
    const now = this.#ports.now()
    const checked = this.check(text, now)
    if (!checked.ok) return refused('rule-invalid', checked.why)
    const { id: authorId, kind, groups, via } = by
    const author = { id: authorId, kind, ...(groups && { groups }), ...(via !== undefined && { via }) }
    const fresh = { ...checked.rule, author, savedAt: now, used: 0, calls: [] }
    if (id !== undefined)
      return this.#change(tenant, id, (rule) => {
        if (rule.revoked) return refused('rule-changed', `Rule ${id} was revoked. Save a new one.`)
        if (version !== undefined && version !== rule.version) return changedSince(rule, version)
        if (rule.tool !== fresh.tool)
          return refused('rule-invalid', 'A rule keeps its tool. Save a new rule for another.')
        return { ok: true, rule: { ...fresh, id, version: rule.version + 1, createdAt: rule.createdAt } }
      })
    const { tool } = checked.rule
    if ((await this.rulesOf(tenant, tool)).filter((rule) => isInForce(rule, now)).length >= MOST_RULES)
      return refused('limit-reached', `A tool has at most ${MOST_RULES} rules. Revoke some that are not needed.`)
    const rule: Rule = { ...fresh, id: `${idPrefix(tool)}${this.#ports.id()}`, version: 1, createdAt: now }
    await this.#put(tenant, rule, 0)
    return { ok: true, rule }
  }

  /** Whether the rule can be saved, or tested. */
  check(text: unknown, now: number): CheckedRule {
    const checked = checkRule(text, now)
    const why = checked.ok ? this.evaluator.refuses?.(checked.rule) : undefined
    return why === undefined ? checked : { ok: false, why }
  }

  /** A rule that was revoked stays listed for a while. To revoke it again changes nothing. */
  async revoke(tenant: string, id: string, { by, reason, version }: RevokeRule): Promise<RuleResult> {
    if (reason !== undefined && (typeof reason !== 'string' || reason.length > 1000))
      return refused('rule-invalid', 'The reason must be a text of at most 1000 characters.')
    return this.#change(tenant, id, (rule) => {
      if (rule.revoked) return { ok: true, rule }
      if (version !== undefined && version !== rule.version) return changedSince(rule, version)
      const revoked = { by: by.id, at: this.#ports.now(), ...(reason !== undefined && { reason }) }
      return { ok: true, rule: { ...rule, revoked } }
    })
  }

  /** Records that this version of the rule decided a call. False: it is no longer in force, so it may not decide. */
  async use(tenant: string, { id, version }: RuleRef, use: Omit<RuleUse, 'at'>): Promise<boolean> {
    const result = await this.#change(tenant, id, (rule) => {
      const now = this.#ports.now()
      if (rule.version !== version || !isInForce(rule, now, use.callId))
        return refused('rule-changed', `Rule ${id} is no longer in force in version ${version}.`)
      if (rule.calls.some(({ callId }) => callId === use.callId)) return { ok: true, rule }
      const calls = [...rule.calls, { ...use, at: now }]
      const kept = rule.uses === undefined ? calls.slice(-NEWEST_CALLS) : calls
      return { ok: true, rule: { ...rule, used: rule.used + 1, calls: kept } }
    })
    return result.ok
  }

  #change(tenant: string, id: string, change: (rule: Rule) => RuleResult): Promise<RuleResult> {
    const key = JSON.stringify([tenant, id])
    const queue = this.#changes.get(key) ?? new SerialQueue()
    this.#changes.set(key, queue)
    return queue
      .run(() => this.#tryToChange(tenant, id, change))
      .finally(() => {
        if (!queue.busy) this.#changes.delete(key)
      })
  }

  async #tryToChange(tenant: string, id: string, change: (rule: Rule) => RuleResult): Promise<RuleResult> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const doc: Document | undefined = await this.#store.get(tenant, RULE, id)
      if (!doc) return refused('rule-missing', `There is no rule ${id}.`)
      const before = ruleOf(doc.data)
      const changed = change(before)
      if (!changed.ok || changed.rule === before) return changed
      if (await this.#put(tenant, changed.rule, doc.version)) return changed
    }
    return refused('rule-changed', `Rule ${id} is changed by many others at the moment. Try again.`)
  }

  async #put(tenant: string, rule: Rule, expected: number): Promise<boolean> {
    const ends = rule.revoked?.at ?? rule.expiresAt
    const put = await this.#store.put({
      tenant,
      kind: RULE,
      id: rule.id,
      expected,
      data: rule as unknown as Json,
      ...(ends !== undefined && { ttlMs: Math.max(1, ends + KEEP_MS - this.#ports.now()) }),
    })
    return put.result === 'ok'
  }
}

function ruleOf(data: Json): Rule {
  return data as unknown as Rule
}

/** Encoded, so that no name of a tool contains the separator. */
function idPrefix(tool: string): string {
  return `${encodeURIComponent(tool)}~`
}

function searchText(rule: Rule): string {
  return [ruleWords(rule), rule.id, rule.reason ?? '', rule.author.id].join('\n').toLowerCase()
}

function changedSince({ id, version: now }: Rule, version: number): RuleResult {
  return refused('rule-changed', `Rule ${id} has version ${now} by now, not ${version}. Read it again.`)
}

function refused(refusal: RuleRefusal, message: string): Extract<RuleResult, { ok: false }> {
  return { ok: false, refusal, message }
}
