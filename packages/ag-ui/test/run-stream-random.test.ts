/** Of any log, both versions of the stock client accept every run, and show what the log has. */
import { HttpAgent, type Message } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { HttpAgent as OldAgent } from 'ag-ui-client-0'
import { applyEvent, applyFrame, emptyView, type Frame, type LogEvent, type View } from '@holdpoint/core'
import { agUiMessagesOf, RunStream, type AgUiEvent } from '@holdpoint/ag-ui'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { choices, randomLog, withFrames } from '../../../test/kit/random-log.ts'

const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 30, maxLength: 200, size: 'max' })
type Item = LogEvent | Frame

afterEach(() => vi.unstubAllGlobals())

/** The runs of a front end that follows the whole log: each begins where the one before ended. */
function runsOf(items: readonly Item[], modern: boolean): { readonly events: AgUiEvent[]; readonly view: View }[] {
  const runs: { events: AgUiEvent[]; view: View }[] = []
  let view = emptyView
  let run: RunStream | undefined
  let events: AgUiEvent[] = []
  for (const item of items) {
    view = 'seq' in item ? applyEvent(view, item) : applyFrame(view, item)
    if (run) events.push(...run.take(item))
    else if ('seq' in item && view.status === 'running') {
      run = new RunStream({ threadId: 't', runId: `r${runs.length}`, modern, view })
      events = run.begin()
    }
    if (!run?.over) continue
    runs.push({ events, view })
    run = undefined
  }
  return runs
}

/** What the client makes of the events of a run. Its own checks of order and shape make it fail. */
async function read(
  Client: typeof HttpAgent,
  events: readonly AgUiEvent[],
): Promise<{ messages: Message[]; problem: string | undefined }> {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  vi.stubGlobal('fetch', async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
  const agent = new Client({ url: 'http://localhost/api/ag-ui', threadId: 't' })
  let problem: string | undefined
  await agent.runAgent({}, { onRunFailed: ({ error }) => void (problem = error.message) }).catch((error: Error) => {
    problem = error.message
  })
  return { messages: JSON.parse(JSON.stringify(agent.messages)) as Message[], problem }
}

/** The client leaves results where they came, in the order in which the calls ended. */
function byId(messages: readonly Message[]): Message[] {
  return messages.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

test.each([
  ['1.0', HttpAgent, true],
  ['0.0.59', OldAgent as unknown as typeof HttpAgent, false],
])('AG-UI %s', async (_version, Client, modern) => {
  const met: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(choices, numbers, async (given, picks) => {
      const random = await randomLog(given)
      for (const { events, view } of runsOf(withFrames(random, picks), modern).slice(0, 4)) {
        for (const event of JSON.parse(JSON.stringify(events)) as AgUiEvent[]) {
          met[event.type] = (met[event.type] ?? 0) + 1
          expect(EventSchemas.safeParse(event).error, JSON.stringify(event)).toBeUndefined()
        }
        const { messages, problem } = await read(Client, events)
        expect(problem).toBeUndefined()
        const stored = JSON.parse(JSON.stringify(agUiMessagesOf(view))) as Message[]
        // The client keeps a thought that a snapshot does not have: that of a reply which was cancelled.
        const shown = messages.filter(({ id, role }) => role !== 'reasoning' || stored.some((each) => each.id === id))
        expect(byId(shown)).toEqual(byId(stored))
      }
    }),
    { numRuns: 120, seed: 778, endOnFailure: true },
  )
  for (const what of [
    'TEXT_MESSAGE_CONTENT',
    'TOOL_CALL_ARGS',
    'TOOL_CALL_RESULT',
    'REASONING_MESSAGE_END',
    'RUN_FINISHED',
  ])
    expect(met[what] ?? 0, what).toBeGreaterThan(5)
})
