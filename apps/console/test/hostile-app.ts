/** A gateway whose model replies with a text of the corpus, or calls a tool with all of them. */
import { agent, tool, type Agent, type ModelPart } from 'holdpoint'
import { z } from 'zod'
import { vendorName } from '@holdpoint/core'
import { corpus } from './hostile-corpus.ts'

const note = tool({
  name: 'note.keep',
  description: 'Keep a note',
  approval: ({ input }) => ({
    required: true,
    reason: `Keeps ${input.texts.at(-1) ?? ''}<img src=x onerror=globalThis.hacked=1>`,
  }),
  input: z.looseObject({ texts: z.array(z.string()) }),
  run: () => 'kept',
})

/** Three tools that give the same texts back: as a result, as an error, and as a question to a person. */
const read = tool({
  name: 'note.read',
  description: 'Read the notes',
  input: z.object({ texts: z.array(z.string()) }),
  run: ({ input }) => ({ found: input.texts, [input.texts[3] ?? '']: input.texts[4] ?? '' }),
})
const lose = tool({
  name: 'note.lose',
  description: 'Lose the notes',
  input: z.object({ texts: z.array(z.string()) }),
  run: ({ input }) => {
    throw new Error(input.texts.join(' '))
  },
})
const choose = tool({
  name: 'note.choose',
  description: 'Choose one',
  executor: 'human',
  timeout: '1 h',
  input: z.object({ texts: z.array(z.string()) }),
  output: z.object({
    choice: z.enum(corpus.slice(0, 40) as [string, ...string[]]).describe(corpus[5] ?? ''),
    [corpus[6] ?? '']: z
      .string()
      .meta({ title: corpus[7] ?? '' })
      .optional(),
  }),
})

/** In a space: calls all of these tools. */
function* everyWay(space: string): Iterable<ModelPart> {
  const texts = corpus.filter((text) => text.isWellFormed())
  yield { type: 'call', id: 's0', name: 'enter_space', input: JSON.stringify({ space }) }
  for (const [nth, name] of ['note.keep', 'note.read', 'note.lose', 'note.choose'].entries())
    yield { type: 'call', id: `s${nth + 1}`, name: vendorName(name), input: JSON.stringify({ texts }) }
}

export const agents: readonly Agent[] = [
  agent({
    name: 'echo',
    tools: [note, read, lose, choose],
    model: {
      id: 'demo/echo',
      async *stream({ prompt }) {
        const last = prompt.at(-1)
        const text = last?.role === 'user' && last.parts[0]?.type === 'text' ? last.parts[0].text : ''
        const [, nth] = /^say (\d+)/.exec(text) ?? []
        const woken = text.startsWith('{"inbox":') ? (JSON.parse(text) as { space?: string; text?: string }) : undefined
        if (woken?.text === 'show everything') yield* everyWay(woken.space ?? '')
        else if (nth !== undefined) yield* inPieces(corpus[Number(nth)] ?? '')
        else if (text.startsWith('call')) {
          // The keys are hostile too.
          const odd = Object.fromEntries(corpus.slice(0, 15).map((each) => [each, each]))
          yield {
            type: 'call',
            id: 'c',
            name: vendorName('note.keep'),
            input: JSON.stringify({ ...odd, ['__proto__']: 1, texts: corpus }),
          }
        } else yield { type: 'text', id: 't', delta: 'ok' }
        yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
      },
    },
  }),
]

/** Cuts the text into pieces at arbitrary places, as a stream does. */
function* inPieces(text: string): Iterable<ModelPart> {
  const size = Math.max(1, Math.ceil(text.length / 7))
  for (let at = 0; at < text.length; at += size) yield { type: 'text', id: 't', delta: text.slice(at, at + size) }
}
