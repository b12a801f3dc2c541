/** Which operations are administrative actions, and what the audit log keeps of their requests. */
import { canonical, isObject, sha256, toJson, type Json } from '@holdpoint/core'

/**
 * What is kept of the body: all of it, its SHA-256, or nothing. Agents and webhooks may have secrets in their definitions. A
 * person's display name is left out: an entry cannot be erased with the person.
 */
type Keeps = 'body' | 'without-name' | 'hash' | 'nothing'

const ACTIONS: Readonly<Record<string, Keeps>> = {
  createKey: 'body',
  revokeKey: 'nothing',
  saveRule: 'body',
  changeRule: 'body',
  revokeRule: 'body',
  createAgent: 'hash',
  updateAgent: 'hash',
  deleteAgent: 'nothing',
  acceptMcpTool: 'body',
  putPerson: 'without-name',
  removePerson: 'nothing',
  erasePerson: 'body',
  handOver: 'body',
  // The addresses of a person go with the person.
  putPersonChannels: 'hash',
  removePersonChannels: 'nothing',
  // The first browser of an admin gives the person a right, and its address is a secret.
  addDevice: 'hash',
  removeDevice: 'nothing',
  replayChannelDelivery: 'body',
  // The address of a receiver may have a secret in it.
  createWebhook: 'hash',
  removeWebhook: 'nothing',
  rotateWebhookSecret: 'nothing',
  replayWebhookDelivery: 'body',
  createTrigger: 'body',
  removeTrigger: 'nothing',
  delegate: 'body',
  endDelegation: 'nothing',
  endSessions: 'nothing',
  changeParticipants: 'body',
  putSpaceMember: 'body',
  removeSpaceMember: 'nothing',
  eraseConversation: 'body',
  eraseSpace: 'body',
  eraseAutonomousAgent: 'body',
  exportPerson: 'nothing',
  exportConversation: 'nothing',
  exportAll: 'nothing',
  import: 'nothing',
}

export interface AdminAction {
  readonly action: string
  readonly target: Readonly<Record<string, string>>
  readonly details?: Json
}

interface Validated {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Undefined for an operation that is no administrative action. */
export function adminActionOf(action: string, { params, query, body }: Validated): AdminAction | undefined {
  const keeps = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (keeps === undefined) return undefined
  const target = { ...textsOf(query), ...textsOf(params) }
  const json = body === undefined || keeps === 'nothing' ? undefined : toJson(body)
  if (!json?.ok) return { action, target }
  return { action, target, details: keptOf(json.value, keeps) }
}

function keptOf(body: Json, keeps: Keeps): Json {
  if (keeps === 'hash') return { sha256: sha256(canonical(body)) }
  if (keeps === 'body' || !isObject(body)) return body
  const { name: _name, ...rest } = body
  return rest
}

function textsOf(fields: unknown): Readonly<Record<string, string>> {
  if (!isObject(fields)) return {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  )
}
