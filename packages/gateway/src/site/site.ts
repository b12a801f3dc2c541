/**
 * Pages that the gateway serves beside its API: files of one folder, read when it starts and never again, so that no path
 * of a request is ever a path on the disk. Any address without a file is the page of the app, which knows its own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { HoldpointError } from '@holdpoint/core'

export interface Site {
  /** What is at a path; undefined when nothing is, and the app has no page there either. */
  answer(request: Request): Response | undefined
}

interface File {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Scripts and styles of this origin and nothing else from anywhere; nothing said to anybody but the gateway. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const APP = '/index.html'

export function siteOf(folder: string): Site {
  const files = filesOf(folder)
  if (!files.has(APP)) throw new HoldpointError('config-invalid', `There is no index.html in ${folder}.`)
  return {
    answer: (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
      const { pathname } = new URL(request.url)
      if (pathname === '/api' || pathname.startsWith('/api/')) return undefined
      const file = files.get(pathname) ?? (isPage(pathname, request) ? files.get(APP) : undefined)
      return file && respond(file, request)
    },
  }
}

/** Somebody who wants a page, and not a file that was forgotten. */
function isPage(pathname: string, request: Request): boolean {
  return extname(pathname) === '' || (request.headers.get('accept') ?? '').includes('text/html')
}

function respond({ headers, body, gzipped }: File, request: Request): Response {
  const zipped = gzipped && (request.headers.get('accept-encoding') ?? '').includes('gzip') ? gzipped : undefined
  return new Response(request.method === 'HEAD' ? null : (zipped ?? body), {
    headers: { ...headers, ...(zipped && { 'content-encoding': 'gzip' }) },
  })
}

function filesOf(folder: string): ReadonlyMap<string, File> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [`/${relative(folder, path).split(sep).join('/')}`, fileOf(path)] as const
      }),
  )
}

function fileOf(path: string): File {
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  const body = Uint8Array.from(readFileSync(path))
  // Names of built files change with what is in them.
  const forGood = /\/assets\/[^/]+-[\w-]{8,}\.\w+$/.test(path.split(sep).join('/'))
  return {
    body,
    gzipped: /^(?:text|application\/json|image\/svg)/.test(type)
      ? Uint8Array.from(gzipSync(body, { level: 9 }))
      : undefined,
    headers: {
      'content-type': type,
      'cache-control': forGood ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
    },
  }
}
