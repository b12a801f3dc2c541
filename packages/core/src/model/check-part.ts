/**
 * A model is code of others, and the log stores what it streams. Each part is checked first, so that everything stored can be read
 * again. For an invalid part the result is undefined, and the reply gets a note instead.
 */
import { isObject, toJson, type Json } from '../json.ts'
import type { ModelPart } from './model.ts'
import type { Finish, ProviderData, Usage } from './reply.ts'

const FINISH: readonly unknown[] = [
  'stop',
  'length',
  'content-filter',
  'calls',
  'error',
  'interrupted',
  'other',
] satisfies Finish[]

export function checkPart(part: ModelPart): ModelPart | undefined {
  switch ((part as ModelPart | null | undefined)?.type) {
    case 'text':
    case 'reasoning':
      return checkText(part as Of<'text' | 'reasoning'>)
    case 'call-input':
      return checkCallInput(part as Of<'call-input'>)
    case 'call':
      return checkCall(part as Of<'call'>)
    case 'provider-result':
      return checkResult(part as Of<'provider-result'>)
    case 'file':
    case 'source':
    case 'custom':
      return checkWhole(part as Of<'file' | 'source' | 'custom'>)
    case 'info':
      return checkInfo(part as Of<'info'>)
    case 'finish':
      return checkFinish(part as Of<'finish'>)
    case undefined:
      return undefined
  }
  return undefined
}

type Of<T extends ModelPart['type']> = Extract<ModelPart, { readonly type: T }>

/** Most parts are of these types, and nearly all are valid, so they are not copied. */
function checkText(part: Of<'text' | 'reasoning'>): ModelPart | undefined {
  if (typeof part.delta !== 'string') return undefined
  return part.data === undefined ? part : withData(part)
}

function checkCallInput(part: Of<'call-input'>): ModelPart | undefined {
  return isText(part.id, part.delta, part.name ?? '') ? part : undefined
}

function checkCall(part: Of<'call'>): ModelPart | undefined {
  if (!isText(part.name, part.input)) return undefined
  return withData(isText(part.id) ? part : { ...part, id: '' })
}

function checkResult(part: Of<'provider-result'>): ModelPart | undefined {
  const result = toJson(part.result)
  if (!result.ok || !isText(part.id, part.name)) return undefined
  return withData({ ...part, result: result.value, isError: part.isError === true })
}

function checkWhole(part: Of<'file' | 'source' | 'custom'>): ModelPart | undefined {
  const json = toJson(part)
  if (!json.ok || !isObject(json.value)) return undefined
  const { mediaType, file, source, kind } = json.value
  const fits =
    part.type === 'file' ? isText(mediaType) && isFile(file) : part.type === 'source' ? isObject(source) : isText(kind)
  return fits ? withData(json.value as unknown as Of<'file' | 'source' | 'custom'>) : undefined
}

function isFile(file: Json | undefined): boolean {
  return (
    isObject(file) &&
    ((file['kind'] === 'base64' && isText(file['base64'])) || (file['kind'] === 'url' && isText(file['url'])))
  )
}

function checkInfo({ type, responseId, modelId, warnings }: Of<'info'>): ModelPart {
  const kept = toJson(warnings ?? [])
  return {
    type,
    ...(typeof responseId === 'string' && { responseId }),
    ...(typeof modelId === 'string' && { modelId }),
    ...(kept.ok && Array.isArray(kept.value) && { warnings: kept.value as readonly Json[] }),
  }
}

function checkFinish(part: Of<'finish'>): ModelPart {
  return withData({
    ...part,
    reason: FINISH.includes(part.reason) ? part.reason : 'other',
    usage: checkUsage(part.usage),
  })
}

function checkUsage(usage: unknown): Usage {
  const given = isObject(usage) ? usage : {}
  const tokens = (value: unknown): number => (Number.isFinite(value) ? Math.max(Number(value), 0) : 0)
  const checked = { inputTokens: tokens(given['inputTokens']), outputTokens: tokens(given['outputTokens']) }
  const details = ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'].filter((key) => given[key] !== undefined)
  return details.length === 0
    ? checked
    : { ...checked, ...Object.fromEntries(details.map((key) => [key, tokens(given[key])])) }
}

/** Removes the vendor's data if it is not JSON. */
function withData<P extends { readonly data?: ProviderData }>(part: P): P {
  if (part.data === undefined) return part
  const { data, ...rest } = part
  const json = toJson(data)
  return (json.ok && isObject(json.value) ? { ...rest, data: json.value } : rest) as P
}

function isText(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}
