/** Takes a request of the Responses API: answers to calls that wait, and a new message. Other items of the input are not believed. */
import {
  emptyView,
  holdsOf,
  parseJson,
  type Resolution,
  type ResolveResult,
  type UserPart,
  type View,
} from '@holdpoint/core'
import type { MessageTaken } from '@holdpoint/runtime'
import { z } from 'zod'
import { ResponseStream } from './response-stream.ts'

const text = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
const item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: text.optional().catch(undefined),
  call_id: z.string().optional(),
  output: text.optional(),
  approval_request_id: z.string().optional(),
  approve: z.boolean().optional(),
  reason: z.string().max(10_000).nullish(),
})

export const responseRequest: z.ZodType<ResponseRequest> = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.union([z.string().min(1), z.array(item).min(1).max(1000)]),
  stream: z.boolean().nullish(),
  previous_response_id: z.string().max(2000).nullish(),
  conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  tools: z.array(z.unknown()).max(0, 'must be left out: the agent has tools of its own').nullish(),
  instructions: z.null('must be left out: the agent has instructions of its own').optional(),
})

type Text = string | readonly { readonly type: string; readonly text?: string | undefined }[]

interface InputItem {
  readonly type?: string | undefined
  readonly role?: string | undefined
  readonly content?: Text | undefined
  readonly call_id?: string | undefined
  readonly output?: Text | undefined
  readonly approval_request_id?: string | undefined
  readonly approve?: boolean | undefined
  readonly reason?: string | null | undefined
}

export interface ResponseRequest {
  /** The agent. */
  readonly model: string
  readonly input: string | readonly InputItem[]
  readonly stream?: boolean | null | undefined
  readonly previous_response_id?: string | null | undefined
  readonly conversation?: string | { readonly id: string } | null | undefined
}

/** An answer to one hold. */
export interface ResponseAnswer {
  readonly callId: string
  readonly nth: number
  readonly resolution: Resolution
}

/** The conversation, with the rights of the caller. */
export interface ResponsePorts {
  view(): Promise<View | undefined>
  resolve(answer: ResponseAnswer): Promise<ResolveResult>
  submit(content: readonly UserPart[]): Promise<MessageTaken>
  readonly now: number
}

export type ResponseTaken =
  | { readonly ok: true; readonly stream: ResponseStream }
  /** `code`: a refusal, or the verdict about an answer. */
  | { readonly ok: false; readonly code: string; readonly message: string }

export async function takeResponseRequest(
  { input }: ResponseRequest,
  conversationId: string,
  ports: ResponsePorts,
): Promise<ResponseTaken> {
  const before = (await ports.view()) ?? emptyView
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const answers = items.flatMap((each) => answerIn(each, before))
  for (const answer of answers) {
    const { verdict, message } = await ports.resolve(answer)
    if (verdict !== 'accepted' && verdict !== 'duplicate') return { ok: false, code: verdict, message }
  }
  const last = items.at(-1)
  const said = last?.role === 'user' ? textOf(last.content) : ''
  if (said !== '') {
    const taken = await ports.submit([{ type: 'text', text: said }])
    if (!taken.ok) return { ok: false, code: taken.refusal, message: taken.message }
  } else if (answers.length === 0)
    return {
      ok: false,
      code: 'bad-request',
      message: 'The input ends with no message of the user, and answers no call.',
    }
  const view = (await ports.view()) ?? emptyView
  return { ok: true, stream: new ResponseStream({ conversationId, before, view, now: ports.now }) }
}

function answerIn(given: InputItem, view: View): readonly ResponseAnswer[] {
  const { type, call_id: callId, output, approval_request_id: request, approve, reason } = given
  if (type === 'mcp_approval_response') {
    const resolution: Resolution =
      approve === true ? { kind: 'approve' } : { kind: 'reject', ...(typeof reason === 'string' && { reason }) }
    return [{ ...named(request), resolution }]
  }
  if (type !== 'function_call_output') return []
  const answer = named(callId)
  // A history that is sent again has the outputs of earlier calls too.
  const open = holdsOf(view).some((hold) => hold.callId === answer.callId && hold.kind !== 'external')
  const value = textOf(output)
  const read = parseJson(value)
  return open ? [{ ...answer, resolution: { kind: 'answer', value: read.ok ? read.value : value } }] : []
}

function named(id: string = ''): Pick<ResponseAnswer, 'callId' | 'nth'> {
  const [, callId = id, nth = '1'] = /^(.+):([1-9]\d{0,8})$/s.exec(id) ?? []
  return { callId, nth: Number(nth) }
}

function textOf(given: Text | undefined): string {
  if (typeof given === 'string') return given
  return (given ?? []).map((part) => part.text ?? '').join('')
}
