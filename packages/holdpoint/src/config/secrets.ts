/**
 * Secrets by name. A configuration contains only the name of a secret. Its value is fetched for each request, put into the headers,
 * and not kept. A service may repeat the headers in its response, so secrets are removed from the response before it is shown.
 */
import { toolError, type Json, type JsonObject, type Tool, type ToolContext } from '@holdpoint/core'
import type { Headers } from '../http-tool/headers.ts'
import { RequestFailed } from '../http-tool/request-failed.ts'
import type { HttpToolResult } from '../http-tool/http-tool-options.ts'
import type { ConfigEnv } from './config-env.ts'
import { at, Fields, line, wrong } from './fields.ts'

/** The text of each header, or the name of a secret. */
export type ConfigHeaders = Readonly<Record<string, string | { readonly $secret: string }>>

const SECRET_NAME = /^[A-Za-z_][\w.-]{0,127}$/

/** Reads a reference to a secret. */
export function readSecret(value: JsonObject, path: string, { secrets }: ConfigEnv): { readonly $secret: string } {
  const $secret = new Fields(value, path, ['$secret']).need('$secret', line(128))
  if (!SECRET_NAME.test($secret))
    throw wrong(at(path, '$secret'), 'must be the name of a secret: letters, digits, "_", "-" and "."')
  if (!secrets) throw wrong(at(path, '$secret'), 'refers to a secret, and the operator offers none')
  return { $secret }
}

type HttpContext = ToolContext<unknown>
type HttpCall = Tool<unknown, HttpToolResult, 'server'>

/** The secrets of each call that is running. */
const used = new WeakMap<HttpContext, ReadonlyMap<string, string>>()

export async function withSecrets(headers: ConfigHeaders, env: ConfigEnv, context: HttpContext): Promise<Headers> {
  const values = new Map<string, string>()
  used.set(context, values)
  const made: [string, string][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') made.push([name, value])
    else {
      const secret = values.get(value.$secret) ?? (await env.secrets?.(env.tenant ?? '', value.$secret))
      if (typeof secret !== 'string')
        throw new RequestFailed(`There is no secret "${value.$secret}". The operator must add it.`)
      values.set(value.$secret, secret)
      made.push([name, secret])
    }
  }
  return Object.fromEntries(made)
}

/** Wraps a tool so that its results never contain a secret of its request. */
export function withoutLeakedSecrets(made: HttpCall): HttpCall {
  return {
    ...made,
    run: async (context) => {
      const result = await made.run?.(context)
      const secrets = used.get(context) ?? new Map<string, string>()
      used.delete(context)
      if (typeof result !== 'object' || secrets.size === 0) return result as HttpToolResult
      if ('status' in result) return { ...result, body: withoutSecrets(secrets, result.body) }
      if (!('details' in result)) return result
      const { message, details } = result
      return toolError(message, details === undefined ? details : withoutSecrets(secrets, details))
    },
  }
}

/** A shorter secret would match everywhere. */
const SHORTEST = 4
/** For the parts of a value like `Bearer …`. */
const SHORTEST_PART = 8

/** Replaces each secret in a value, in every encoded form, by its name. */
export function withoutSecrets(secrets: ReadonlyMap<string, string>, value: Json): Json {
  let text = JSON.stringify(value)
  for (const [name, secret] of secrets)
    for (const form of formsOf(secret)) text = text.replaceAll(quoted(form), `[secret ${name}]`)
  return JSON.parse(text) as Json
}

function formsOf(secret: string): readonly string[] {
  const whole = secret.length >= SHORTEST ? [secret] : []
  const parts = secret.split(' ').filter((part) => part.length >= SHORTEST_PART)
  const forms = [...whole, ...parts].flatMap((form) => [form, encodeURIComponent(form)])
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length)
}

/** The text as it appears inside JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
