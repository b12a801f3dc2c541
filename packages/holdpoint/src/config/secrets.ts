/**
 * Secrets by reference. The configuration says a name; the value is asked for when the request is made, goes into its
 * headers and is forgotten. A service may repeat what it was sent, so its response is searched for secrets before it is shown.
 */
import { toolError, type Json, type JsonObject, type Tool, type ToolContext } from '@holdpoint/core'
import type { Headers } from '../http-tool/headers.ts'
import { RequestFailed } from '../http-tool/request-failed.ts'
import type { HttpAnswer } from '../http-tool/http-tool-options.ts'
import type { ConfigEnv } from './config-env.ts'
import { at, Fields, line, wrong } from './fields.ts'

/** Each header's text, or the name of a secret. */
export type ConfigHeaders = Readonly<Record<string, string | { readonly $secret: string }>>

const SECRET_NAME = /^[A-Za-z_][\w.-]{0,127}$/

/** A reference to a secret, as the configuration says it. */
export function readSecret(value: JsonObject, path: string, { secrets }: ConfigEnv): { readonly $secret: string } {
  const $secret = new Fields(value, path, ['$secret']).need('$secret', line(128))
  if (!SECRET_NAME.test($secret))
    throw wrong(at(path, '$secret'), 'must be the name of a secret: letters, digits, "_", "-" and "."')
  if (!secrets) throw wrong(at(path, '$secret'), 'is a secret, and there are none here')
  return { $secret }
}

type HttpContext = ToolContext<unknown>
type HttpCall = Tool<unknown, HttpAnswer, 'server'>

/** The values of the call that is being made, for as long as it is. */
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
        throw new RequestFailed(`There is no secret "${value.$secret}" here: the operator must add it.`)
      values.set(value.$secret, secret)
      made.push([name, secret])
    }
  }
  return Object.fromEntries(made)
}

/** The same tool, whose results never hold a secret that its request held. */
export function discreet(made: HttpCall): HttpCall {
  return {
    ...made,
    run: async (context) => {
      const result = await made.run?.(context)
      const secrets = used.get(context) ?? new Map<string, string>()
      used.delete(context)
      if (typeof result !== 'object' || secrets.size === 0) return result as HttpAnswer
      if ('status' in result) return { ...result, body: withoutSecrets(secrets, result.body) }
      if (!('details' in result)) return result
      const { message, details } = result
      return toolError(message, details === undefined ? details : withoutSecrets(secrets, details))
    },
  }
}

/** Below this it would be found everywhere, and is no secret. */
const SHORTEST = 4
/** Of a value like `Bearer …`, the part that counts. */
const SHORTEST_PART = 8

/** The value without any of these, by name, in whatever form they stand in it. */
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

/** As it stands inside JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
