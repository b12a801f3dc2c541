/**
 * The url of an HTTP tool. The author sets it, with `{placeholders}` in the path or the query. The model cannot change where a
 * request goes: its values are encoded, cannot leave their segment of the path (`..`), and the final url must have the author's
 * origin.
 */
import { HoldpointError, type Json, type JsonObject } from '@holdpoint/core'
import { RequestFailed } from './request-failed.ts'

export interface UrlTemplate {
  /** The url with a harmless value in every placeholder. */
  readonly sample: URL
  /** The fields of the input that the placeholders use. */
  readonly names: ReadonlySet<string>
  fill(fields: JsonObject): URL
}

const PLACEHOLDER = /\{([^{}]+)\}/g
/** Only the plain form. The URL parser also accepts backslashes, tabs and line ends, which can change the host. */
const PLAIN = /^(https?:\/\/[^\s/?#\\{}@]+)((?:\/[^\s?#\\]*)?)((?:\?[^\s#\\]*)?)$/i

export function urlTemplate(template: unknown, what: string): UrlTemplate {
  if (typeof template !== 'string') throw invalid(`${what} needs a "url", such as "https://api.acme.test/users/{id}".`)
  const [, origin, path, query] = PLAIN.exec(template) ?? []
  if (origin === undefined || path === undefined || query === undefined)
    throw invalid(`${what}: "url" ${mistake(template)}`)
  if (/[{}]/.test(template.replaceAll(PLACEHOLDER, '')))
    throw invalid(`${what}: "url" has a brace that is not part of a {placeholder}.`)
  if (!URL.canParse(origin)) throw invalid(`${what}: "url" is not a web address.`)
  const names = new Set(Array.from(template.matchAll(PLACEHOLDER), (match) => match[1] ?? ''))
  const expected = new URL(origin).origin
  return {
    sample: new URL(template.replaceAll(PLACEHOLDER, 'x')),
    names,
    fill: (fields) => {
      const filledQuery = query.replaceAll(PLACEHOLDER, (_, name: string) => encode(name, textOf(fields, name)))
      const url = new URL(
        `${origin}${path
          .split('/')
          .map((segment) => fillSegment(segment, fields))
          .join('/')}${filledQuery}`,
      )
      if (url.origin !== expected) throw new RequestFailed('The url would have led to another host.')
      return url
    },
  }
}

/** Fields without a value are left out; lists and objects are written as JSON. */
export function withQuery(url: URL, fields: JsonObject): URL {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${encode(name, name)}=${encode(name, written(value))}`],
  )
  const copy = new URL(url)
  if (pairs.length > 0) copy.search = `${copy.search === '' ? '?' : `${copy.search}&`}${pairs.join('&')}`
  return copy
}

function mistake(template: string): string {
  if (!/^https?:\/\//i.test(template))
    return 'must begin with https:// (or http://): the model must not choose the scheme.'
  const authority = template.replace(/^https?:\/\//i, '').split(/[/?#]/)[0] ?? ''
  if (authority.includes('{'))
    return 'has a {placeholder} in its host or port. They may only stand in the path or the query, after a "/" or "?".'
  if (authority.includes('@')) return 'has credentials in it. Give them in "headers".'
  if (template.includes('#')) return 'has a fragment (#…), which is never sent. Remove it.'
  return 'has spaces or backslashes in it, or no host. Write it as "https://api.acme.test/users/{id}".'
}

function fillSegment(segment: string, fields: JsonObject): string {
  return segment.replaceAll(PLACEHOLDER, (_, name: string) => {
    const text = textOf(fields, name)
    // Many servers decode encoded slashes before they interpret the path.
    if (text === '' || text.split(/[/\\]/).some(isDots))
      throw new RequestFailed(`"${name}" must not be empty, and must not contain "." or ".." as a part of a path.`)
    return encode(name, text)
  })
}

function isDots(text: string): boolean {
  return text === '.' || text === '..'
}

function textOf(fields: JsonObject, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined || value === null) throw new RequestFailed(`"${name}" is needed: it is a part of the url.`)
  return written(value)
}

function written(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function encode(name: string, text: string): string {
  if (!text.isWellFormed()) throw new RequestFailed(`"${name}" is not well-formed text.`)
  return encodeURIComponent(text)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('tool-invalid', message)
}
