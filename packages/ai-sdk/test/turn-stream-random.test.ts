import { applyEvent, applyFrame, emptyView, type Frame, type LogEvent, type View } from '@holdpoint/core'
import { TurnStream, uiMessagesOf, type UiStreamPart, type UiMessage } from '@holdpoint/ai-sdk'
import { validateUIMessages, type UIMessage } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choices as anyChoices, randomLog, withFrames } from '../../../test/kit/random-log.ts'
import { comparable, readMessage, sendsAgain } from '../../../test/kit/read-message.ts'

const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 30, maxLength: 200, size: 'max' })
type Item = LogEvent | Frame

/** The AI SDK's own parser of input drops an object with this key. */
const choices = anyChoices.map(({ words, ...rest }) => ({
  ...rest,
  words: words.map((word) => word.replace('__proto__', 'proto')),
}))

function applied(view: View, item: Item): View {
  return 'seq' in item ? applyEvent(view, item) : applyFrame(view, item)
}

function historyOf(view: View, turnId: string): UIMessage | undefined {
  const found = uiMessagesOf(view).find(({ id }) => id === `turn:${turnId}`)
  return found && (JSON.parse(JSON.stringify(found)) as UIMessage)
}

/** Follows one turn as a front end does: a stream until it waits or ends, then another that continues the same message. */
class FrontEnd {
  readonly turnId: string
  message: UIMessage | undefined
  streams = 0
  #stream: TurnStream | undefined
  #chunks: UiStreamPart[] = []

  constructor(turnId: string) {
    this.turnId = turnId
  }

  async take(item: Item, view: View): Promise<boolean> {
    if (this.#stream) this.#chunks.push(...this.#stream.take(item))
    else if ('seq' in item && view.turns.some(({ turnId }) => turnId === this.turnId)) this.#begin(view)
    if (!this.#stream?.over) return false
    const { message } = await readMessage(this.#chunks, this.message)
    this.message = message
    this.#stream = undefined
    return true
  }

  #begin(view: View): void {
    this.streams++
    const known = this.message as UiMessage | undefined
    this.#stream = new TurnStream({ view, target: { turnId: this.turnId }, ...(known && { known }) })
    this.#chunks = this.#stream.begin()
  }
}

test('of any log, useChat shows the same live, after reconnecting and from the history', async () => {
  const met: Record<string, number> = {}
  const count = (what: string): void => {
    met[what] = (met[what] ?? 0) + 1
  }
  await fc.assert(
    fc.asyncProperty(choices, numbers, fc.nat(), async (given, picks, start) => {
      const random = await randomLog(given)
      const items = withFrames(random, picks)
      const turns = random.log.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []))
      const front = new FrontEnd(turns[start % Math.max(turns.length, 1)] ?? '')
      let view = emptyView
      for (const item of items) {
        view = applied(view, item)
        if (!(await front.take(item, view))) continue
        const ended = view.turns.find(({ turnId }) => turnId === front.turnId)?.ended
        count(ended?.reason ?? 'held')
        for (const part of front.message?.parts ?? []) {
          count(part.type.startsWith('tool-') ? 'tool' : part.type)
          if ('state' in part && part.state === 'output-error') count('failed call')
          if (part.type === 'data-hold' && JSON.stringify(part.data).includes('"expired"')) count('expired')
        }
        // Frames of a step that was never stored are not in the history.
        if (view.live.reply) count('live')
        else expect(comparable(front.message)).toEqual(comparable(historyOf(view, front.turnId)))
        for (const message of [front.message, historyOf(view, front.turnId)])
          expect(message && sendsAgain(message), JSON.stringify(message)).not.toBe(true)
        if (ended) break
      }
      if (front.streams > 1) count('continued')
    }),
    { numRuns: 200, seed: 777, endOnFailure: true },
  )
  const expected = [
    'held',
    'continued',
    'completed',
    'cancelled',
    'superseded',
    'tool',
    'failed call',
    'expired',
    'text',
    'reasoning',
  ]
  for (const what of [...expected, 'file', 'source-url', 'source-document', 'data-hold', 'data-answer', 'data-ended'])
    expect(met[what] ?? 0, what).toBeGreaterThan(10)
}, 120_000)

test('stored history is what the AI SDK accepts as messages', async () => {
  await fc.assert(
    fc.asyncProperty(choices, async (given) => {
      const { log } = await randomLog(given)
      const messages = uiMessagesOf(log.reduce(applyEvent, emptyView)).filter(({ parts }) => parts.length > 0)
      if (messages.length === 0) return
      const copy = JSON.parse(JSON.stringify(messages)) as UIMessage[]
      expect(await validateUIMessages({ messages: copy })).toHaveLength(messages.length)
    }),
    { numRuns: 60, seed: 20332, endOnFailure: true },
  )
})
