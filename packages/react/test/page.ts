/** A document for React to draw in, and a scripted gateway. */
import { Window } from 'happy-dom'
import { onTestFinished } from 'vitest'
import { connect, type Client } from '@holdpoint/client'
import { viewOf, type Frame, type View } from '@holdpoint/core/view'
import type { SpaceView } from '@holdpoint/spaces/view'
import type { LogEvent, ResolveResult } from '@holdpoint/core'
import type { PendingHold } from '@holdpoint/runtime'
import { encodeStream, type StreamMessage } from '@holdpoint/protocol'

const window = new Window()
Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true })

// React looks for a document when it is loaded, so it is imported after the document is set.
const { createRoot, hydrateRoot } = await import('react-dom/client')
const { act } = await import('react')

export { act }

/** Draws an element, and removes it at the end of the test. */
export async function draw(
  element: React.ReactNode,
): Promise<{ readonly text: () => string; redraw(element: React.ReactNode): Promise<void>; remove(): Promise<void> }> {
  const place = document.createElement('div')
  document.body.append(place)
  const root = createRoot(place)
  await act(async () => root.render(element))
  let there = true
  const remove = async (): Promise<void> => {
    if (!there) return
    there = false
    await act(async () => root.unmount())
    place.remove()
  }
  onTestFinished(remove)
  return { text: () => place.textContent ?? '', redraw: (next) => act(async () => root.render(next)), remove }
}

/** Hydrates HTML of a server. Returns the mismatches. */
export async function takeOver(
  html: string,
  element: React.ReactNode,
): Promise<{ readonly wrong: readonly unknown[]; text(): string }> {
  const place = document.createElement('div')
  place.innerHTML = html
  document.body.append(place)
  const wrong: unknown[] = []
  const root = await act(async () =>
    hydrateRoot(place, element, { onRecoverableError: (error) => void wrong.push(error) }),
  )
  onTestFinished(async () => {
    await act(async () => root.unmount())
    place.remove()
  })
  return { wrong, text: () => place.textContent ?? '' }
}

export interface FakeGateway {
  readonly client: Client
  /** The requests, as `GET /api/…`. */
  readonly asked: readonly string[]
  readonly answers: readonly object[]
  /** Sends a message on the stream of the conversation. */
  say(...messages: readonly StreamMessage[]): Promise<void>
  holds: readonly PendingHold[]
  /** The verdict on each answer to a hold. */
  verdict: ResolveResult
  changed(): Promise<void>
  /** The number of open streams. */
  readonly open: number
}

export function fakeGateway(view: View | SpaceView): FakeGateway {
  const asked: string[] = []
  const answers: object[] = []
  const streams = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>()
  const encoder = new TextEncoder()
  const stream = (path: string, signal: AbortSignal | null | undefined): Response => {
    const all = streams.get(path) ?? new Set()
    streams.set(path, all)
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        all.add(controller)
        signal?.addEventListener('abort', () => {
          if (all.delete(controller)) controller.error(signal.reason)
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const tell = async (suffix: string, text: string): Promise<void> => {
    for (const [path, all] of streams)
      if (path.endsWith(suffix)) for (const each of all) each.enqueue(encoder.encode(text))
    // Wait for the promises of the reader and of React.
    await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  }
  const gateway: FakeGateway = {
    asked,
    answers,
    holds: [],
    verdict: { verdict: 'accepted', message: 'It is.' },
    get open() {
      return [...streams.values()].reduce((sum, { size }) => sum + size, 0)
    },
    say: (...messages) => tell('/events', messages.map(encodeStream).join('')),
    changed: () => tell('/changes', encodeStream({ kind: 'changed' })),
    client: connect({
      url: 'http://gateway.test',
      key: 'hp_test',
      fetch: async (url, init) => {
        const { pathname } = new URL(url)
        asked.push(`${init.method} ${pathname}`)
        if (pathname.endsWith('/events') || pathname.endsWith('/changes')) return stream(pathname, init.signal)
        if (init.method === 'GET') return Response.json(pathname === '/api/holds' ? { items: gateway.holds } : view)
        answers.push(JSON.parse(init.body as string) as object)
        return Response.json(gateway.verdict)
      },
    }),
  }
  return gateway
}

/** Finished turns of a message and a reply each, and optionally a turn that has just started. */
export function talk(turns: number, { goingOn = false } = {}): { readonly view: View; readonly seq: number } {
  const events: LogEvent[] = []
  let seq = 0
  const add = (body: object): void => void events.push({ seq: ++seq, at: seq, ...body } as LogEvent)
  for (let nth = 1; nth <= turns + (goingOn ? 1 : 0); nth++) {
    const message = { parts: [{ type: 'text', text: `question ${nth}` }], by: 'ada' }
    add({
      type: 'turn.started',
      turnId: `t${nth}`,
      agent: 'desk',
      items: [{ kind: 'message', message }],
      limits: { maxSteps: 8 },
    })
    if (nth > turns) break
    const reply = {
      parts: [{ type: 'text', text: `answer ${nth}` }],
      finish: 'stop',
      usage: { inputTokens: 0, outputTokens: 0 },
    }
    add({ type: 'model.replied', turnId: `t${nth}`, step: 1, reply })
  }
  return { view: viewOf(events), seq }
}

export const frame = (body: Frame): StreamMessage => ({ kind: 'frame', frame: body })
export const event = (body: object): StreamMessage => ({ kind: 'event', event: body as LogEvent })
