/** Google's generateContent API. It sends a call's arguments whole, and calls have no streamed pieces. */
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { JsonObject } from '@holdpoint/core'
import { sse } from './server.ts'
import type { Vendor } from './vendor.ts'

interface Part {
  functionCall?: { id: string; name: string; args: JsonObject }
  functionResponse?: { id: string; name: string; response: { content?: unknown; error?: unknown } }
  inlineData?: { data: string }
}
interface Body {
  contents: { role: string; parts: Part[] }[]
  tools?: { functionDeclarations: { name: string; parametersJsonSchema: unknown }[] }[]
  generationConfig?: { responseJsonSchema?: unknown }
}

const head = { responseId: 'resp_1', modelVersion: 'gemini-2.5-pro' }

export function reply(...chunks: object[][]): string {
  const usageMetadata = {
    promptTokenCount: 20,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 3,
    totalTokenCount: 27,
    cachedContentTokenCount: 12,
  }
  const last = {
    ...head,
    candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    usageMetadata,
  }
  return sse([...chunks.map(chunk), last])
}

function chunk(parts: object[]): object {
  return { ...head, candidates: [{ index: 0, content: { role: 'model', parts } }] }
}

function parts(body: unknown): Part[] {
  return (body as Body).contents.flatMap((content) => content.parts)
}

export const google: Vendor = {
  name: 'google',
  id: 'google/gemini-2.5-pro',
  model: (url) => createGoogleGenerativeAI({ baseURL: url, apiKey: 'key' })('gemini-2.5-pro'),
  says: (...pieces) => reply(...pieces.map((text) => [{ text }])),
  calls: (...calls) => reply(calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))),
  begins: (text) => sse([chunk([{ text }])]),
  fails: sse([{ error: { code: 503, message: 'it broke', status: 'UNAVAILABLE' } }]),
  afterSilence: { reason: 'interrupted' },
  refuses: (message) => JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  readTools: (body) =>
    (body as Body).tools
      ?.flatMap((tool) => tool.functionDeclarations)
      .map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema })) ?? [],
  readCalls: (body) =>
    parts(body)
      .map((part) => part.functionCall)
      .filter((call) => call !== undefined)
      .map(({ id, name, args }) => ({ id, name, input: args })),
  readResults: (body) =>
    parts(body)
      .map((part) => part.functionResponse)
      .filter((result) => result !== undefined)
      .map(({ id, response }) => ({ id, content: response.content })),
  readOutputSchema: (body) => (body as Body).generationConfig?.responseJsonSchema,
  readImage: (body) => parts(body).find((part) => part.inlineData !== undefined)?.inlineData?.data,
}
