/** Prompts that vendors accept: user messages, replies with every kind of part, and a result for each call. */
import type {
  FileData,
  JsonObject,
  PromptMessage,
  PromptPart,
  PromptResult,
  ProviderData,
  UserPart,
} from '@holdpoint/core'
import fc from 'fast-check'

const text = fc.string({ minLength: 1 })
const object: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c'),
  fc.oneof(text, fc.integer(), fc.constant(null)),
)
const data: fc.Arbitrary<{ data?: ProviderData }> = fc.record(
  { data: fc.dictionary(fc.constantFrom('acme', 'openai'), object, { minKeys: 1 }) },
  { requiredKeys: [] },
)
const mediaType = fc.constantFrom('image/png', 'application/pdf')
// The AI SDK overrides the media type if the bytes look like another image, so these look like none.
const base64 = fc.base64String().map((rest) => `aGVsbG8h${rest}`)
const file: fc.Arbitrary<FileData> = fc.oneof(
  fc.record({ kind: fc.constant('base64' as const), base64 }),
  fc.record({ kind: fc.constant('url' as const), url: fc.webUrl().map((url) => new URL(url).href) }),
)

const userPart: fc.Arbitrary<UserPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('file' as const), mediaType, file }),
  fc.record({ type: fc.constant('file' as const), mediaType, file, filename: text }),
)

const replyPart: fc.Arbitrary<PromptPart> = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constantFrom('text' as const, 'reasoning' as const), text }),
      fc.record({ type: fc.constant('file' as const), mediaType, file, reasoning: fc.boolean() }),
      fc.record({ type: fc.constant('custom' as const), kind: fc.constantFrom('acme.note', 'openai.compaction') }),
      fc.record({
        type: fc.constant('call' as const),
        id: fc.uuid(),
        name: text,
        input: object,
        byProvider: fc.boolean(),
      }),
      fc.record({
        type: fc.constant('provider-result' as const),
        id: fc.uuid(),
        name: text,
        result: object,
        isError: fc.boolean(),
      }),
    ),
    data,
  )
  .map(([part, extra]) => ({ ...part, ...extra }))

const asked: fc.Arbitrary<PromptMessage> = fc.record({
  role: fc.constant('user' as const),
  parts: fc.array(userPart, { minLength: 1 }),
})

const turn = fc
  .tuple(asked, fc.array(replyPart, { minLength: 1 }), fc.boolean())
  .map(([question, parts, isError]): PromptMessage[] => {
    const results = parts.flatMap((part): PromptResult[] =>
      part.type === 'call' && part.byProvider !== true
        ? [{ id: part.id, name: part.name, isError, content: [part.id] }]
        : [],
    )
    const reply: PromptMessage[] = [question, { role: 'assistant', parts }]
    return results.length === 0 ? reply : [...reply, { role: 'tool', results }]
  })

export const prompts: fc.Arbitrary<PromptMessage[]> = fc
  .tuple(fc.option(text, { nil: undefined }), fc.array(turn, { maxLength: 3 }), asked)
  .map(([system, turns, last]) => [
    ...(system === undefined ? [] : [{ role: 'system', text: system } as const]),
    ...turns.flat(),
    last,
  ])
