/** Forks a conversation: a copy of its log up to an event, under another id. Nothing of it runs by itself. */
import { NO_HASH } from '@holdpoint/core/internal/log/chain'
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import { SUMMARY } from '@holdpoint/core/internal/context/summary'
import type { Address, Note, Store } from '@holdpoint/core/internal/log/store'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { forkOf } from '@holdpoint/core/internal/turn/fork'
import { refuseStranger } from '@holdpoint/core/internal/turn/people'
import { fold } from '@holdpoint/core/internal/turn/turn'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { Draft } from '../log/draft.ts'
import { Log } from '../log/log.ts'
import type { Engine } from '../node/engine.ts'
import { checkId, checkRequestOptions, checkSeq, OPTIONS } from './check-request.ts'
import { wholeLog } from './whole-log.ts'

export interface ForkOptions {
  /** The seq of the last event that the fork takes. Default: the newest. */
  readonly at?: number
  /** The id of the fork. Default: a new one. */
  readonly to?: string
  /**
   * Calls that are held at that event. `held`: they wait in the fork too, as calls of their own: an approval there runs
   * them. `settled`: they get the result that they got in the original later, or an error. Default: `settled`. A call that
   * one of several approvers has approved is always settled.
   */
  readonly held?: 'held' | 'settled'
  /** The owner of the fork. Default: it belongs to the people of the original. */
  readonly by?: string | Principal
}

export type ForkResult =
  | { readonly ok: true; readonly id: string; readonly seq: number }
  | { readonly ok: false; readonly refusal: ForkRefusal; readonly message: string }

export type ForkRefusal = 'not-found' | 'not-allowed' | 'erased' | 'is-a-space' | 'id-taken' | 'bad-request'

export async function fork(engine: Engine, tenant: string, id: string, options: ForkOptions): Promise<ForkResult> {
  const { at, to = engine.ports.id(), held = 'settled', by: given } = checkRequestOptions(options, OPTIONS.fork)
  const by = principalOf(checkPrincipal(given))
  const from = { tenant, id }
  const events = await wholeLog(engine.store, from)
  const [first] = events
  if (!first) return refused('not-found', `There is no conversation "${id}".`)
  if (!conversationMachine.begins(first)) return refused('is-a-space', `"${id}" is a space, and has no turns to fork.`)
  if (agentOfLog(id) !== undefined)
    return refused('bad-request', 'The log of an autonomous agent cannot be forked: the agent has only one.')
  const state = fold(events)
  if (state.erased) return refused('erased', `Conversation "${id}" was erased.`)
  const stranger = refuseStranger(state, by)
  if (stranger) return refused('not-allowed', stranger.message)
  const seq = at === undefined ? state.seq : checkSeq('at', at)
  if (seq < 1 || seq > state.seq)
    return refused('bad-request', `Conversation "${id}" has the events 1 to ${state.seq}, and no event ${seq}.`)
  const address = { tenant, id: checkId('The id of a conversation', to) }
  // Its owner would read what the agent does from then on, in every space.
  if (agentOfLog(to) !== undefined)
    return refused('bad-request', `"${to}" is the id of the log of an autonomous agent. Choose another one.`)
  const now = engine.ports.now()
  const copy = forkOf({ events, conversationId: id, at: seq, held, by, newId: () => engine.ports.id(), now })
  await engine.quotas.admitWrite(address)
  // Before the events that name them. It may have more of them than a fork of an early event needs.
  for (const file of await engine.files.ofConversation(from)) await engine.files.attach(address, file.id)
  const draft = new Draft<Conversation, ReturnType<typeof conversationMachine.next>[number]>(
    conversationMachine,
    conversationMachine.empty,
    NO_HASH,
    now,
  )
  draft.add(copy)
  const log = new Log(conversationMachine, address, engine.store, engine.ports)
  if ((await engine.store.heads([address]))[0] !== 0 || (await log.write(draft)) !== 'ok')
    return refused('id-taken', `There is a conversation or a space with the id "${to}" already.`)
  for (const note of await summaries(engine.store, from, seq)) await engine.store.note(address, note)
  engine.heard(address, copy.length, true)
  return { ok: true, id: to, seq: copy.length }
}

async function summaries(store: Store, from: Address, upTo: number): Promise<readonly Note[]> {
  return store.notes(from, { kind: SUMMARY, before: upTo + 1, limit: 1 })
}

function refused(refusal: ForkRefusal, message: string): ForkResult {
  return { ok: false, refusal, message }
}
