/** The body of a response: parsed if its content type is JSON, otherwise as text. */
import { parseJson, type Json } from '@holdpoint/core'
import type { HttpResponse } from './exchange.ts'

const JSON_TYPE = /^(?:application|text)\/(?:[\w.+-]+\+)?json$/i

export function responseBody({ headers, body }: Pick<HttpResponse, 'headers' | 'body'>): {
  readonly body: Json
  readonly problem?: string
} {
  if (body.length === 0) return { body: null }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((each) => each.trim())
  const text = decode(body, parameters)
  if (!JSON_TYPE.test(type)) return { body: text }
  const parsed = parseJson(text)
  return parsed.ok ? { body: parsed.value } : { body: text, problem: parsed.why }
}

function decode(body: Buffer, parameters: readonly string[]): string {
  const charset =
    parameters.map((each) => /^charset="?([\w-]+)"?$/i.exec(each)?.[1]).find((each) => each !== undefined) ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}
