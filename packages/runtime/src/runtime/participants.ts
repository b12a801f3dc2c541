/** The owner and the participants of a conversation: how they are read, and requests to change them. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import type { Address } from '@holdpoint/core/internal/log/store'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import type { ChangeParticipants, People } from '@holdpoint/core/internal/turn/people'
import { checkPrincipal } from '../conversation/check-principal.ts'
import type { Engine } from '../node/engine.ts'
import { checkId, checkRequestOptions, OPTIONS } from './check-request.ts'

export interface ParticipantOptions {
  readonly by?: string | Principal
  /** Ids of people. */
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  /** The new owner. The old owner stays as a participant. */
  readonly owner?: string
}

const MOST_AT_ONCE = 100

export function participantChange(options: ParticipantOptions): ChangeParticipants {
  const { add, remove, owner, by } = checkRequestOptions(options, OPTIONS.participants)
  return {
    by: principalOf(checkPrincipal(by)),
    add: people('add', add),
    remove: people('remove', remove),
    ...(owner !== undefined && { owner: checkId('The id of a person', owner) }),
  }
}

function people(what: string, ids: unknown = []): readonly string[] {
  if (!Array.isArray(ids) || ids.length > MOST_AT_ONCE)
    throw new HoldpointError('config-invalid', `"${what}" is a list of at most ${MOST_AT_ONCE} ids of people.`)
  return ids.map((id) => checkId('The id of a person', id))
}

/** As the store has them now: the log in this process's memory may be behind another process. */
export async function peopleOf(engine: Engine, address: Address): Promise<People | undefined> {
  const { store } = engine
  const state = engine.peekConversation(address)?.log.state
  if (state && state.seq > 0 && (await store.heads([address]))[0] === state.seq) return state.people
  const loaded = await store.load(address)
  if (!loaded || !conversationMachine.owns(loaded.agent)) return undefined
  return foldLoaded(conversationMachine, loaded).people
}
