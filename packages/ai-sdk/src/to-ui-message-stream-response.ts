/**
 * The routes of `useChat` in an application's own server: Next.js, Hono, Express, or anything that has Request and Response.
 * The application says who the person is; whether they may read and write is decided here and in the log.
 */
import { HoldpointError, parseJson, type HoldKind, type Principal } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import { chatRequest } from './chat-request.ts'
import { restartTurn } from './restart-turn.ts'
import { parseChatRunId } from './chat-run.ts'
import { ChatRuns, type RunDocuments } from './chat-runs.ts'
import { countedStream, resumedRun, resumedStream } from './resumed-stream.ts'
import { takeChatRequest, type ChatPorts } from './take-chat-request.ts'
import type { TurnStream } from './turn-stream.ts'
import { uiMessagesOf } from './ui-messages.ts'
import {
  NO_ANSWER,
  RUN_ID_HEADER,
  START_OVER,
  tailIndex,
  UI_STREAM_HEADERS,
  UiWire,
  type CountedWire,
} from './ui-wire.ts'

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
  /**
   * For `WorkflowChatTransport`: the store, in which the places of the steps of an answer are kept for a day, so that an answer goes
   * on where it was after the server was killed. Default: they are kept in memory.
   */
  readonly store?: RunDocuments
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
    const named = decodeURIComponent((last === 'stream' || last === 'stop' ? segments.at(-2) : last) ?? '')
    const startIndex = last === 'stream' ? new URL(request.url).searchParams.get('startIndex') : null
    const run = startIndex === null ? undefined : parseChatRunId(named)
    const id = run?.conversationId ?? named
    if (!(await mayUse(runtime, id, options))) return forbidden()
    if (request.method === 'POST') return await stop(runtime, id, by)
    if (request.method !== 'GET') return problem(405, 'Only GET and POST are allowed here.')
    if (startIndex !== null) return await countedRest(runtime, { id, by, named, startIndex }, options)
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
  const { stream, after, runId } = taken
  const counted = runId === undefined ? {} : countedAs(runtime, options, runId, 0)
  return streamed(runtime, { id, by: options.by, stream, after, ...counted })
}

interface Counted {
  readonly id: string
  readonly by: Principal
  /** The conversation, or the answer. */
  readonly named: string
  readonly startIndex: string
}

async function countedRest(
  runtime: ChatRuntime,
  { id, by, named, startIndex }: Counted,
  options: UiMessageStreamOptions,
): Promise<Response> {
  const chunks = Number(startIndex)
  if (!/^-?\d{1,9}$/.test(startIndex)) return problem(422, 'startIndex must be an integer.')
  const run = parseChatRunId(named)
  if (run) {
    if (chunks < 0) return problem(422, 'startIndex of an answer must be 0 or more.')
    const ports = { view: () => runtime.view(id), events: (after: number) => runtime.events(id, after) }
    const rest = await resumedRun({ tenant: '', runId: named, run, chunks }, runsOf(runtime, options), ports)
    if (!rest) return problem(404, NO_ANSWER)
    return streamed(runtime, { id, by, ...rest, ...countedAs(runtime, options, named, chunks) })
  }
  if (chunks > 0) return problem(422, START_OVER)
  const view = await runtime.view(id, { turns: 1 })
  const headers = tailIndex(chunks)
  return streamed(runtime, { id, by, stream: countedStream(view), after: view?.seq ?? 0, headers })
}

const memoryRuns = new WeakMap<object, ChatRuns>()

/** One for each store, or for each runtime. */
function runsOf(runtime: ChatRuntime, { store }: UiMessageStreamOptions): ChatRuns {
  const owner = store ?? runtime
  const runs = memoryRuns.get(owner) ?? new ChatRuns(store)
  memoryRuns.set(owner, runs)
  return runs
}

function countedAs(
  runtime: ChatRuntime,
  options: UiMessageStreamOptions,
  runId: string,
  chunks: number,
): Pick<Followed, 'counted' | 'headers'> {
  const runs = runsOf(runtime, options)
  return {
    counted: { chunks, paused: (at) => runs.pause('', runId, at) },
    headers: { [RUN_ID_HEADER]: runId },
  }
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
  readonly counted?: CountedWire
  readonly headers?: Readonly<Record<string, string>>
}

function streamed(runtime: ChatRuntime, { id, by, stream, after, counted, headers }: Followed): Response {
  const wire = new UiWire(stream, counted)
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
  return new Response(body, { headers: { ...UI_STREAM_HEADERS, ...headers } })
}

function forbidden(): Response {
  return problem(403, 'You are not a participant of this conversation.')
}

function problem(status: number, detail: string): Response {
  return Response.json({ detail }, { status, headers: NO_STORE })
}
