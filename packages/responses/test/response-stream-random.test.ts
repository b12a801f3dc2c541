import { applyEvent, applyFrame, emptyView, type Frame, type LogEvent } from '@holdpoint/core'
import { ResponseStream } from '@holdpoint/responses'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choices as anyChoices, randomLog, withFrames } from '../../../test/kit/random-log.ts'

const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 30, maxLength: 200, size: 'max' })
/** The runtime makes the ids of calls, and never with half a surrogate pair, which a path cannot contain. */
const choices = anyChoices.map(({ words, ...rest }) => ({ ...rest, words: words.map((word) => word.toWellFormed()) }))
type Event = ReturnType<ResponseStream['begin']>[number]

interface Output {
  readonly output: readonly { readonly type: string; readonly id: string }[]
}

/** The responses of a program that follows the whole log: each begins where the one before ended. */
function responsesOf(items: readonly (LogEvent | Frame)[]): readonly (readonly Event[])[] {
  const all: Event[][] = []
  let view = emptyView
  let before = emptyView
  let stream: ResponseStream | undefined
  let events: Event[] = []
  for (const item of items) {
    view = 'seq' in item ? applyEvent(view, item) : applyFrame(view, item)
    if (stream) events.push(...stream.take(item))
    else if ('seq' in item && view.status === 'running') {
      stream = new ResponseStream({ conversationId: 'c', before, view, now: 0 })
      events = stream.begin()
    }
    if (!stream?.over) continue
    all.push(events)
    stream = undefined
    before = view
  }
  return all
}

test('of any log, the events of a response are numbered, and add and finish each of its items once', async () => {
  const met: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(choices, numbers, async (given, picks) => {
      for (const events of responsesOf(withFrames(await randomLog(given), picks))) {
        expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index))
        const of = (type: string): Event[] => events.filter((event) => event.type === type)
        const { output = [] } = (events.at(-1)?.['response'] ?? {}) as Partial<Output>
        const added = of('response.output_item.added')
        const done = of('response.output_item.done')
        expect(added.map((event) => event['output_index'])).toEqual(output.map((_, index) => index))
        expect(done.map((event) => event['item'])).toEqual(output)
        for (const { type } of output) met[type] = (met[type] ?? 0) + 1
      }
    }),
    { numRuns: 60, seed: 20451, endOnFailure: true },
  )
  for (const what of ['message', 'reasoning', 'mcp_call', 'mcp_approval_request', 'function_call'])
    expect(met[what] ?? 0, what).toBeGreaterThan(5)
})
