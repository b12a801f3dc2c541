/**
 * A model that replies as a test's script says. The script has our tool names, and the replies have the vendor's form of them, as
 * with a real model. It records every request, and throws when the script is used up. If the script is one function, it is called
 * for every request.
 */
import {
  vendorName,
  type Finish,
  type JsonObject,
  type Model,
  type ModelPart,
  type ModelRequest,
  type Usage,
} from '@holdpoint/core'

export interface ScriptedCall {
  readonly name: string
  readonly input?: JsonObject
  /** The arguments as text, for arguments that are not JSON. */
  readonly raw?: string
  readonly id?: string
}

export interface ScriptedReply {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ScriptedCall[]
  readonly finish?: Finish
  readonly usage?: Usage
}

/** A reply's text; a reply; its parts one by one; an error to throw; or any of these made from the request. */
export type Script = string | ScriptedReply | readonly ModelPart[] | Error | ((request: ModelRequest) => Script)

export interface ScriptedModel extends Model {
  /** The requests to the model, oldest first. */
  readonly requests: readonly ModelRequest[]
}

export function scriptedModel(scripts: readonly Script[] | ((request: ModelRequest) => Script)): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    id: 'scripted',
    requests,
    async *stream(request) {
      requests.push(request)
      const script = typeof scripts === 'function' ? scripts : scripts[requests.length - 1]
      if (script === undefined)
        throw new Error(`The script has ${scripts.length} replies, and the model was asked for one more.`)
      const parts = partsOf(script, request, requests.length)
      for (const part of parts) {
        if (request.signal.aborted) throw request.signal.reason
        if (part instanceof Error) throw part
        yield part
      }
    },
  }
}

function partsOf(script: Script, request: ModelRequest, nth: number): readonly (ModelPart | Error)[] {
  if (typeof script === 'function') return partsOf(script(request), request, nth)
  if (script instanceof Error) return [script]
  if (typeof script === 'string') return replyParts({ text: script }, nth)
  return isParts(script) ? script : replyParts(script, nth)
}

function isParts(script: ScriptedReply | readonly ModelPart[]): script is readonly ModelPart[] {
  return Array.isArray(script)
}

function replyParts({ text, reasoning, calls = [], finish, usage }: ScriptedReply, nth: number): ModelPart[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', id: 'thought', delta: reasoning } as const]),
    ...words(text ?? '').map((delta) => ({ type: 'text', id: 'text', delta }) as const),
    ...calls.flatMap(({ name, input = {}, raw = JSON.stringify(input), id = `call-${nth}` }, index) => {
      const call = { id: calls.length > 1 ? `${id}-${index + 1}` : id, name: vendorName(name) }
      return [{ type: 'call-input', ...call, delta: raw } as const, { type: 'call', ...call, input: raw } as const]
    }),
    {
      type: 'finish',
      reason: finish ?? (calls.length > 0 ? 'calls' : 'stop'),
      usage: usage ?? { inputTokens: 10, outputTokens: 5 },
    },
  ]
}

/** Text is streamed word by word, so that tests see several deltas. */
function words(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}
