/**
 * The definition of an agent without credentials, for readers. Headers and URLs often contain credentials, so header
 * values, names of secrets and everything in a URL after its origin are shown only to an `admin`, who could set them
 * anyway.
 */
import type { Json, JsonObject } from '@holdpoint/core'

const HIDDEN = '[hidden]'

export function withoutCredentials(config: JsonObject): JsonObject {
  return {
    ...config,
    ...('tools' in config && { tools: each(config['tools'], toolWithoutCredentials) }),
    ...('mcpServers' in config && { mcpServers: each(config['mcpServers'], requestWithoutCredentials) }),
    ...(isObject(config['mcp']) && {
      mcp: { ...config['mcp'], servers: each(config['mcp']['servers'], requestWithoutCredentials) },
    }),
  }
}

function toolWithoutCredentials(tool: JsonObject): JsonObject {
  return isObject(tool['execution']) ? { ...tool, execution: requestWithoutCredentials(tool['execution']) } : tool
}

function requestWithoutCredentials(request: JsonObject): JsonObject {
  const { url, headers } = request
  return {
    ...request,
    ...(typeof url === 'string' && { url: originOf(url) }),
    ...(isObject(headers) && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, isObject(value) ? { $secret: HIDDEN } : HIDDEN]),
      ),
    }),
  }
}

/** The origin of the URL. Paths can contain credentials too, as in webhooks. */
function originOf(url: string): string {
  const { origin, href } = URL.canParse(url) ? new URL(url) : { origin: 'null', href: '' }
  if (origin === 'null') return HIDDEN
  return href === `${origin}/` ? origin : `${origin}/${HIDDEN}`
}

function each(list: Json | undefined, change: (item: JsonObject) => JsonObject): Json {
  return Array.isArray(list) ? list.map((item) => (isObject(item) ? change(item) : item)) : (list ?? null)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
