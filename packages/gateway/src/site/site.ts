/**
 * Static pages beside the API. All files of one folder are read at the start and never again, so that a request path
 * never becomes a path on disk. A path without a file serves index.html: the app has its own router.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { HoldpointError } from '@holdpoint/core'

export interface Site {
  /** The file or page for a request; undefined when there is none. */
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

/** Scripts, styles and connections only from and to this origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types push-worker',
].join('; ')

const APP = '/index.html'

/** `pageOf` may change index.html before it is served. */
export function siteFromFolder(folder: string, pageOf: (html: string) => string = (html) => html): Site {
  const files = filesOf(folder, pageOf)
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

/** The request is for a page, not for a missing asset. */
function isPage(pathname: string, request: Request): boolean {
  return extname(pathname) === '' || (request.headers.get('accept') ?? '').includes('text/html')
}

function respond({ headers, body, gzipped }: File, request: Request): Response {
  const zipped = gzipped && (request.headers.get('accept-encoding') ?? '').includes('gzip') ? gzipped : undefined
  return new Response(request.method === 'HEAD' ? null : (zipped ?? body), {
    headers: { ...headers, ...(zipped && { 'content-encoding': 'gzip' }) },
  })
}

function filesOf(folder: string, pageOf: (html: string) => string): ReadonlyMap<string, File> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const name = `/${relative(folder, path).split(sep).join('/')}`
        const body = readFileSync(path)
        return [name, fileOf(path, name === APP ? Buffer.from(pageOf(body.toString())) : body)] as const
      }),
  )
}

function fileOf(path: string, content: Buffer): File {
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  const body = Uint8Array.from(content)
  // The names of built files contain a hash of their content.
  const immutable = /\/assets\/[^/]+-[\w-]{8,}\.\w+$/.test(path.split(sep).join('/'))
  return {
    body,
    gzipped: /^(?:text|application\/json|image\/svg)/.test(type)
      ? Uint8Array.from(gzipSync(body, { level: 9 }))
      : undefined,
    headers: {
      'content-type': type,
      'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
    },
  }
}
