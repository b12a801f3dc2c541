/** A gateway whose model says whatever of the corpus it is asked for, or asks for a tool with all of it. */
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

export const agents: readonly Agent[] = [
  agent({
    name: 'echo',
    tools: [note],
    model: {
      id: 'demo/echo',
      async *stream({ prompt }) {
        const last = prompt.at(-1)
        const text = last?.role === 'user' && last.parts[0]?.type === 'text' ? last.parts[0].text : ''
        const [, nth] = /^say (\d+)/.exec(text) ?? []
        if (nth !== undefined) yield* inPieces(corpus[Number(nth)] ?? '')
        else if (text.startsWith('call')) {
          // Keys are as hostile as what stands under them.
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

/** As it would arrive: cut anywhere. */
function* inPieces(text: string): Iterable<ModelPart> {
  const size = Math.max(1, Math.ceil(text.length / 7))
  for (let at = 0; at < text.length; at += size) yield { type: 'text', id: 't', delta: text.slice(at, at + size) }
}
