/**
 * The routes of `useChat` in an application's own server: Next.js, Hono, Express, or anything that has Request and Response.
 * The application says who the person is; whether they may read and write is decided here and in the log.
 */
import { HoldpointError, parseJson, type HoldKind, type Principal } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import { chatRequest } from './chat-request.ts'
import { restartTurn } from './restart-turn.ts'
import { resumedStream, takeChatRequest, type ChatPorts } from './take-chat-request.ts'
import type { TurnStream } from './turn-stream.ts'
import { uiMessagesOf } from './ui-messages.ts'
import { UI_STREAM_HEADERS, UiWire } from './ui-wire.ts'

export interface UiMessageStreamOptions {
  /** Who the caller is, by the application's own login: never from the request's body. */
  readonly by: Principal
  /** The agent of a new conversation, if the runtime has several. */
  readonly agent?: string
  /** What happens to a message while a turn is in progress or held. Default: `queue`. */
  readonly whileBusy?: 'refuse' | 'queue' | 'supersede'
  /**
   * The kinds of hold that the caller may answer, besides those that name them. Default: `approval`, `client` and
   * `elicitation` of conversations that they may read.
   */
  readonly kinds?: readonly HoldKind[]
  /**
   * Whether the caller may use an existing conversation. Default: its owner and participants.
   */
  readonly allowed?: (conversationId: string) => boolean | Promise<boolean>
}

type ChatRuntime = Pick<
  Runtime,
  'view' | 'events' | 'subscribe' | 'submit' | 'resolve' | 'continue' | 'cancel' | 'participants'
>

const KINDS: readonly HoldKind[] = ['approval', 'client', 'elicitation']
const MAX_BODY_CHARS = 4_000_000

/**
 * Answers `POST …`, `GET …/:id/stream`, `GET …/:id` (the history, as `{ messages }`) and `POST …/:id/stop`, by the end of the
 * path.
 */
export async function toUIMessageStreamResponse(
  runtime: ChatRuntime,
  request: Request,
  options: UiMessageStreamOptions,
): Promise<Response> {
  const { by } = options
  if (typeof by?.id !== 'string' || by.id === '')
    throw new HoldpointError('config-invalid', 'toUIMessageStreamResponse needs `by`: who sent the request.')
  const segments = new URL(request.url).pathname.split('/').filter((segment) => segment !== '')
  const last = segments.at(-1)
  try {
    if (request.method === 'POST' && last !== 'stop') return await post(runtime, request, options)
    const id = decodeURIComponent((last === 'stream' || last === 'stop' ? segments.at(-2) : last) ?? '')
    if (!(await mayUse(runtime, id, options))) return forbidden()
    if (request.method === 'POST') return await stop(runtime, id, by)
    if (request.method !== 'GET') return problem(405, 'Only GET and POST are allowed here.')
    const view = await runtime.view(id, last === 'stream' ? { turns: 1 } : {})
    if (last !== 'stream') return Response.json({ messages: view ? uiMessagesOf(view) : [] }, { headers: NO_STORE })
    const stream = resumedStream(view)
    return view && stream ? streamed(runtime, { id, by, stream, after: view.seq }) : new Response(null, { status: 204 })
  } catch (error) {
    if (error instanceof HoldpointError && error.code === 'config-invalid') return problem(422, error.message)
    throw error
  }
}

async function post(runtime: ChatRuntime, request: Request, options: UiMessageStreamOptions): Promise<Response> {
  // A page of another site can post text with the person's cookie, but not JSON.
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return problem(415, 'Send JSON, with `Content-Type: application/json`.')
  const text = await request.text()
  if (text.length > MAX_BODY_CHARS) return problem(413, 'The body is too large. Send the last message only.')
  const read = parseJson(text)
  if (!read.ok) return problem(400, `The body is not JSON: ${read.why}`)
  const body = chatRequest.safeParse(read.value)
  if (!body.success)
    return problem(
      422,
      `The request is invalid: ${body.error.issues[0]?.path.join('.')}: ${body.error.issues[0]?.message}`,
    )
  const { id } = body.data
  if (!(await mayUse(runtime, id, options))) return forbidden()
  const taken = await takeChatRequest(body.data, portsOf(runtime, id, options))
  if (!taken.ok) return problem(taken.refusal === 'bad-request' ? 422 : 409, taken.message)
  return streamed(runtime, { id, by: options.by, stream: taken.stream, after: taken.after })
}

function portsOf(
  runtime: ChatRuntime,
  id: string,
  { by: given, agent, whileBusy = 'queue', kinds = KINDS, allowed }: UiMessageStreamOptions,
): ChatPorts {
  // Who may write is checked once more in the decision that is written, unless the application has rules of its own.
  const by: Principal = allowed ? given : { ...given, access: 'own' }
  const send = { by, whileBusy, ...(agent !== undefined && { agent }) }
  return {
    by: by.id,
    view: () => runtime.view(id),
    events: (after) => runtime.events(id, after),
    // The id of a message is the page's. Two people must not have one message.
    submit: (content, key) => runtime.submit(id, content, { ...send, key: JSON.stringify([by.id, key]) }),
    restart: (after) => restartTurn(runtime, id, after, by),
    resolve: ({ callId, nth, resolution }) => runtime.resolve(id, callId, resolution, { by, hold: nth, kinds }),
  }
}

async function mayUse(runtime: ChatRuntime, id: string, { by, allowed }: UiMessageStreamOptions): Promise<boolean> {
  const people = await runtime.participants(id)
  if (!people) return true
  if (allowed) return allowed(id)
  return people.owner === by.id || people.participants.includes(by.id)
}

async function stop(runtime: ChatRuntime, id: string, by: Principal): Promise<Response> {
  const result = await runtime.cancel(id, undefined, { by })
  return result.ok ? Response.json({ ok: true }, { headers: NO_STORE }) : problem(409, result.message)
}

const NO_STORE = { 'cache-control': 'no-store' }
const HEARTBEAT_MS = 15_000

interface Followed {
  readonly id: string
  readonly by: Principal
  readonly stream: TurnStream
  readonly after: number
}

function streamed(runtime: ChatRuntime, { id, by, stream, after }: Followed): Response {
  const wire = new UiWire(stream)
  const left = new AbortController()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string): void => {
        if (text !== '' && !left.signal.aborted) controller.enqueue(encoder.encode(text))
      }
      const heartbeat = setInterval(() => send(': \n\n'), HEARTBEAT_MS)
      const follow = async (): Promise<void> => {
        send(wire.begin())
        if (!wire.over)
          await runtime.subscribe(id, { after, signal: left.signal }).forEach((item) => {
            send(wire.take(item))
            const removed = 'seq' in item && item.type === 'participants.changed' && item.remove.includes(by.id)
            if (wire.over || removed) left.abort()
          })
        if (wire.over) controller.close()
        // The end would look like the end of the answer.
        else controller.error(new Error('The conversation is no longer followed. Resume the stream.'))
      }
      follow()
        .catch((error: unknown) => controller.error(error))
        .finally(() => clearInterval(heartbeat))
        // The reader has cancelled the stream before, and a closed stream cannot be closed again.
        .catch(() => {})
    },
    cancel: () => left.abort(),
  })
  return new Response(body, { headers: UI_STREAM_HEADERS })
}

function forbidden(): Response {
  return problem(403, 'You are not a participant of this conversation.')
}

function problem(status: number, detail: string): Response {
  return Response.json({ detail }, { status, headers: NO_STORE })
}
