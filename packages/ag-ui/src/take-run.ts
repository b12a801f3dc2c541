/** Takes the input of a run: answers to interrupts, results of client tools, and a new message. The history in it is not believed. */
import {
  emptyView,
  holdsOf,
  parseJson,
  type Json,
  type Resolution,
  type ResolveResult,
  type UserPart,
  type View,
} from '@holdpoint/core'
import type { MessageTaken } from '@holdpoint/runtime'
import { z } from 'zod'
import { parseInterruptId } from './interrupts.ts'
import { RunStream } from './run-stream.ts'

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])

export const runInput: z.ZodType<RunInput> = z.looseObject({
  threadId: z.string().min(1).max(200),
  runId: z.string().min(1).max(200),
  protocolVersion: z.string().nullish(),
  messages: z
    .array(
      z.looseObject({
        id: z.string().min(1).max(1000),
        role: z.string(),
        content: content.nullish().catch(undefined),
        toolCallId: z.string().optional().catch(undefined),
      }),
    )
    .max(10_000),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string(),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.json().optional(),
      }),
    )
    .max(100)
    .nullish(),
})

export interface RunInput {
  /** The conversation's id. */
  readonly threadId: string
  readonly runId: string
  readonly protocolVersion?: string | null | undefined
  readonly messages: readonly {
    readonly id: string
    readonly role: string
    readonly content?:
      | string
      | readonly { readonly type: string; readonly text?: string | undefined }[]
      | null
      | undefined
    readonly toolCallId?: string | undefined
  }[]
  readonly resume?: readonly ResumeEntry[] | null | undefined
}

interface ResumeEntry {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload?: Json | undefined
}

/** An answer to one hold. */
export interface RunAnswer {
  readonly callId: string
  readonly nth: number
  readonly resolution: Resolution
}

/** The conversation, with the rights of the caller. */
export interface RunPorts {
  view(): Promise<View | undefined>
  resolve(answer: RunAnswer): Promise<ResolveResult>
  /** `key`: a message with the same key is taken once. */
  submit(content: readonly UserPart[], key: string): Promise<MessageTaken>
}

export async function takeRun(input: RunInput, ports: RunPorts): Promise<RunStream> {
  const { threadId, runId, protocolVersion, messages } = input
  const before = (await ports.view()) ?? emptyView
  const answers = [...answersIn(input, before), ...resultsIn(input, before)]
  let failed: { readonly message: string; readonly code: string } | undefined
  for (const answer of answers) {
    if ('code' in answer) failed ??= answer
    else failed ??= refusedBy(await ports.resolve(answer))
  }
  const last = messages.at(-1)
  const said = last?.role === 'user' ? textOf(last.content) : ''
  let waitsAt: number | undefined
  if (!failed && last && said !== '' && !last.id.startsWith('item:')) {
    const taken = await ports.submit([{ type: 'text', text: said }], `agui:${last.id}`)
    if (!taken.ok) failed = { message: taken.message, code: taken.refusal }
    else if (taken.turnId === undefined) waitsAt = taken.waitsAt
  }
  const view = (await ports.view()) ?? emptyView
  const modern = typeof protocolVersion === 'string'
  return new RunStream({
    threadId,
    runId,
    modern,
    view,
    ...(waitsAt !== undefined && { waitsAt }),
    ...(failed && { failed }),
  })
}

type Failure = { readonly message: string; readonly code: string }

function answersIn({ resume }: RunInput, view: View): readonly (RunAnswer | Failure)[] {
  const holds = new Map(holdsOf(view).map((hold) => [hold.callId, hold]))
  return (resume ?? []).map((entry) => {
    const named = parseInterruptId(entry.interruptId)
    if (!named) return { message: `There is no interrupt "${entry.interruptId}".`, code: 'unknown' }
    return { ...named, resolution: resolutionOf(entry, holds.get(named.callId)?.kind ?? 'approval') }
  })
}

function resolutionOf({ status, payload }: ResumeEntry, kind: string): Resolution {
  const given =
    typeof payload === 'object' && payload !== null && !Array.isArray(payload)
      ? (payload as Readonly<Record<string, Json>>)
      : {}
  const reason = typeof given['reason'] === 'string' ? { reason: given['reason'] } : {}
  if (status === 'cancelled') return { kind: 'reject', ...reason }
  if (kind !== 'approval') return { kind: 'answer', value: payload ?? null }
  // Anything but a clear yes is a no.
  if (given['approved'] !== true) return { kind: 'reject', ...reason }
  const edited = given['editedArgs']
  return edited === undefined ? { kind: 'approve' } : { kind: 'approve', input: edited }
}

/** Results of client tools that are open now. Others are results that we have, or that the front end made up. */
function resultsIn({ messages }: RunInput, view: View): readonly RunAnswer[] {
  const open = new Map(
    holdsOf(view).flatMap((hold) => (hold.kind === 'client' && !hold.async ? [[hold.callId, hold] as const] : [])),
  )
  return messages.flatMap(({ role, toolCallId = '', content: given }): readonly RunAnswer[] => {
    const hold = role === 'tool' ? open.get(toolCallId) : undefined
    if (!hold) return []
    const text = textOf(given)
    const read = parseJson(text)
    return [{ callId: hold.callId, nth: hold.nth, resolution: { kind: 'answer', value: read.ok ? read.value : text } }]
  })
}

function textOf(given: RunInput['messages'][number]['content']): string {
  if (typeof given === 'string') return given
  return (given ?? []).map(({ text = '' }) => text).join('')
}

/** A repeated answer is none that failed: a run may be sent twice. */
function refusedBy({ verdict, message }: ResolveResult): Failure | undefined {
  return verdict === 'accepted' || verdict === 'duplicate' ? undefined : { message, code: verdict }
}
