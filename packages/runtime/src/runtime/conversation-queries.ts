/** What can be asked of the conversations in a store. Every query reads the store, or what this process has in memory. */
import { AUDIT, recordOf, type AuditRecord } from '@holdpoint/core/internal/audit/audit'
import { evidenceOf, type Evidence } from '@holdpoint/core/internal/audit/evidence'
import { explain, type Explanation } from '@holdpoint/core/internal/audit/explain'
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { View } from '@holdpoint/core/internal/live/view-shape'
import type { ConversationLine } from '@holdpoint/core/internal/log/conversation-line'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { SignedHead } from '@holdpoint/core/internal/log/signed-head'
import type { Address, Page } from '@holdpoint/core/internal/log/store'
import type { ItemStream } from '../subscribe/subscription.ts'
import { SPACE } from '@holdpoint/core/internal/log/space-event'
import { personLabel, type People } from '@holdpoint/core/internal/turn/people'
import type { Erasure } from '@holdpoint/core/internal/turn/erased'
import {
  checkFilter,
  checkId,
  checkLimit,
  checkRequestOptions,
  checkSeq,
  checkSignal,
  LIST,
  OPTIONS,
  PENDING,
} from './check-request.ts'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { principalOf } from '@holdpoint/core/internal/principal'
import type { Engine } from '../node/engine.ts'
import type { QuotaUsage } from '../node/tenant-quotas.ts'
import { erasureAt } from './erase.ts'
import { exportChain, type ChainBody } from './export-chain.ts'
import { exportConversations } from './export-conversations.ts'
import { signedHeads, signingKeys, type SigningKey } from '../node/head-signer.ts'
import { knownCall, type KnownCall } from './known-call.ts'
import { earlierTurnPage, newestTurnPage } from './turn-page.ts'
import { peopleOf } from './participants.ts'
import { pendingHolds } from './pending-holds.ts'
import { Rules } from './rules.ts'
import { search, type SearchOptions, type SearchPage } from './search.ts'
import { usageReport, type UsagePage, type UsageReportOptions } from './usage-report.ts'
import { RuntimeFiles } from './runtime-files.ts'
import { visibleHolds } from './visible-holds.ts'
import type { ListedConversation, ListFilter, PendingFilter, PendingHold } from './runtime-options.ts'

export interface RuntimeStatus {
  readonly drives: boolean
  readonly leased: boolean
  readonly active: number
}

export class ConversationQueries {
  protected readonly engine: Engine
  protected readonly tenantName: string
  /** The rules about calls: save, revoke, list and try them. */
  readonly rules: Rules
  /** Upload files for messages, and read files of conversations. */
  readonly files: RuntimeFiles

  protected constructor(engine: Engine, tenantName: string) {
    this.engine = engine
    this.tenantName = tenantName
    this.rules = new Rules(engine, tenantName)
    this.files = new RuntimeFiles(engine.files, tenantName)
  }

  /** Undefined for a conversation that was not erased, or does not exist. */
  async erasure(id: string): Promise<Erasure | undefined> {
    return erasureAt(this.engine.store, this.address(id))
  }

  /** The owner and the participants. Undefined when there is no such conversation. */
  async participants(id: string): Promise<People | undefined> {
    return peopleOf(this.engine, this.address(id))
  }

  /** Open holds, oldest first. This is a query to the store: nothing is kept in memory for it. */
  async pending(filter: PendingFilter = {}): Promise<Page<PendingHold>> {
    const { view = 'all', by: given, kinds, ...fields } = checkFilter(filter, PENDING)
    const by = principalOf(checkPrincipal(given))
    const now = this.engine.ports.now()
    const any = visibleHolds(view, by, kinds, now)
    const query = { ...fields, tenant: this.tenantName, ...(any && { any }) }
    const caller = by && { by, now, ...(kinds && { kinds }) }
    return pendingHolds(this.engine, query, caller)
  }

  /** A call that is or was held, by its id. If several conversations have a call with this id, name one. */
  async call(callId: string, options: { readonly conversationId?: string } = {}): Promise<KnownCall | undefined> {
    const { conversationId: id } = checkRequestOptions(options, OPTIONS.call)
    const where = id === undefined ? id : this.address(id).id
    return knownCall(this.engine.store, this.tenantName, checkId('The id of a call', callId), where)
  }

  /** The evidence about a call that is or was held. Undefined when there is none. */
  async evidence(id: string, callId: string): Promise<Evidence | undefined> {
    const events = await this.engine.store.readCall(this.address(id), checkId('The id of a call', callId))
    return evidenceOf(id, callId, events)
  }

  /** Conversations, newest first. Spaces have a list of their own; where they are left out, a page may be short. */
  async list(filter: ListFilter = {}): Promise<Page<ListedConversation>> {
    const { participant, ...fields } = checkFilter(filter, LIST)
    const labels = participant !== undefined && { labels: [personLabel(participant)] }
    const page = await this.engine.store.list({ ...fields, ...labels, tenant: this.tenantName })
    const rows = page.items.filter(({ agent }) => agent !== SPACE)
    return { ...page, items: await this.engine.firstMessages.with(this.tenantName, rows) }
  }

  /**
   * Searches conversations, and the messages, replies and calls in them. Each page reads a limited part of the logs and says
   * how much; `next` goes on. Spaces and erased conversations are not searched.
   */
  search(options: SearchOptions = {}): Promise<SearchPage> {
    return search(this.engine, this.tenantName, options)
  }

  /** What a person sees of it: the newest turns, or with `before` the ones that come before that seq (`view.from`). */
  async view(
    id: string,
    options: { readonly turns?: number; readonly before?: number } = {},
  ): Promise<View | undefined> {
    const { store } = this.engine
    const turns = checkLimit(checkRequestOptions(options, OPTIONS.view).turns ?? 20)
    const address = this.address(id)
    if (options.before === undefined) return newestTurnPage(store, address, turns)
    return earlierTurnPage(store, address, turns, checkSeq('before', options.before))
  }

  /**
   * What the model was shown in each step of a turn, and what was left out. Default: the newest turn. Undefined when there is
   * no such turn.
   */
  async explain(id: string, turnId?: string): Promise<Explanation | undefined> {
    if (turnId !== undefined) checkId('The id of a turn', turnId)
    return this.engine.useExisting(this.address(id), ({ agent, log }) =>
      explain(this.engine.store, log.address, agent, turnId),
    )
  }

  /** The exact requests to the model, newest first, for agents with `audit`. For the next page, pass the last seq as `before`. */
  async audit(
    id: string,
    options: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<readonly (AuditRecord & { readonly seq: number })[]> {
    const { before, limit } = checkRequestOptions(options, OPTIONS.audit)
    const query = {
      kind: AUDIT,
      limit: checkLimit(limit ?? 20),
      ...(before !== undefined && { before: checkSeq('before', before) }),
    }
    const notes = await this.engine.store.notes(this.address(id), query)
    return notes.flatMap((note) => {
      const record = recordOf(note)
      return record ? [{ ...record, seq: note.seq }] : []
    })
  }

  /** The events after a seq, in order. For the next page, pass the last seq. */
  async events(id: string, after = 0, limit?: number): Promise<readonly LogEvent[]> {
    return this.engine.store.read(this.address(id), checkSeq('after', after), checkLimit(limit))
  }

  /**
   * A conversation, or everything that the tenant has: conversations, logs of autonomous agents and spaces. Write each line
   * with `JSON.stringify`. The last line has the type `end`; without it, the export is incomplete.
   */
  export(options: { readonly id?: string } = {}): AsyncGenerator<ConversationLine, void, undefined> {
    const { id } = checkRequestOptions(options, OPTIONS.export)
    return exportConversations(this.engine, this.tenantName, id === undefined ? id : this.address(id).id)
  }

  /**
   * Like `export`, for people who check a log without the store: batches with their hashes, and signed heads. Pass it to
   * `chainLines`, which writes them as text.
   */
  exportChain(options: { readonly id?: string } = {}): AsyncGenerator<ChainBody, void, undefined> {
    const { id } = checkRequestOptions(options, OPTIONS.export)
    return exportChain(this.engine, this.tenantName, id === undefined ? id : this.address(id).id)
  }

  /** The signed heads of a log, oldest first. Empty for one that was erased, or was never signed. */
  async signedHeads(id: string): Promise<readonly SignedHead[]> {
    return (await signedHeads(this.engine.store, this.address(id))).map(({ head }) => head)
  }

  /** The public keys of the installation, oldest first. `current`: the one with which this process signs. */
  async signingKeys(): Promise<{ readonly items: readonly SigningKey[]; readonly current?: string }> {
    const { headSigner, store } = this.engine
    if (!headSigner) return { items: await signingKeys(store) }
    return { items: await headSigner.keys(), current: headSigner.key }
  }

  /** All events after a seq, each once and in order, and then new ones as they happen; with frames, if driven in this process. */
  subscribe(id: string, options: { readonly after?: number; readonly signal?: AbortSignal } = {}): ItemStream {
    const { after = 0, signal } = checkRequestOptions(options, OPTIONS.subscribe)
    const address = this.address(id)
    if (this.engine.closing) throw new HoldpointError('closed', 'This runtime was closed. Open another one.')
    const { subscribers, logs } = this.engine
    return subscribers.add(address, checkSeq('after', after), logs.peek(address), checkSignal(signal))
  }

  /** Tokens, cost and calls by day, agent, model and tool. Each page counts a limited number of conversations. */
  usageReport(options: UsageReportOptions = {}): Promise<UsagePage> {
    return usageReport(this.engine, this.tenantName, options)
  }

  /** What this process does: whether it drives conversations, whether its lease is valid, and how many are in its memory. */
  status(): RuntimeStatus {
    return { drives: this.engine.node !== undefined, leased: this.engine.mayWork(), active: this.engine.logs.size }
  }

  /** What the tenant stores and uses, and the quotas. Sizes are up to a minute old. */
  usage(): Promise<QuotaUsage> {
    return this.engine.quotas.usage(this.tenantName)
  }

  protected address(id: string): Address {
    return { tenant: this.tenantName, id: checkId('The id of a conversation', id) }
  }
}
