/** Local servers, a network in which they have public addresses, and what a handler is handed. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo, type Server } from 'node:net'
import type { JsonObject, Scope, Tool, ToolContext } from '@holdpoint/core'
import { afterEach } from 'vitest'
import type { Network } from '../src/http-tool/connect.ts'
import { httpTool } from '../src/http-tool/http-tool.ts'
import type { HttpToolResult, HttpToolOptions } from '../src/http-tool/http-tool-options.ts'

const stops: Array<() => void> = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface TestServer {
  readonly port: number
  /** What it was asked, oldest first. */
  readonly seen: readonly Seen[]
  readonly connections: () => Promise<number>
}

export async function serve(answer: RequestListener, options: { readonly secure?: boolean } = {}): Promise<TestServer> {
  const seen: Seen[] = []
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  }
  const server = options.secure ? createSecureServer({ key: KEY, cert: CERT }, listener) : createServer(listener)
  stops.push(() => (server.close(), server.closeAllConnections()))
  return {
    port: await listen(server),
    seen,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  }
}

export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))
}

export const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const redirect =
  (location: string, status = 302): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { location }).end('moved')

/** Public addresses, which lead to a local server instead. */
export const PUBLIC = '93.184.216.34'
export const PUBLIC_6 = '2606:2800:220:1::1'

export interface TestNetwork extends Network {
  readonly resolved: readonly string[]
  /** Each connection's addresses to choose from, and port. */
  readonly dialled: ReadonlyArray<readonly [addresses: readonly string[], port: number]>
}

/** Names resolve to what `hosts` says, in turn, the last for ever; every connection leads to `port` on this machine. */
export function testNetwork(
  port: number,
  hosts: Readonly<Record<string, ReadonlyArray<readonly string[]>>>,
  landsOn?: string,
): TestNetwork {
  const resolved: string[] = []
  const dialled: Array<readonly [readonly string[], number]> = []
  return {
    ca: CERT,
    resolved,
    dialled,
    resolve: async (hostname) => {
      resolved.push(hostname)
      const answers = hosts[hostname]
      if (!answers) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
      return answers[Math.min(resolved.filter((each) => each === hostname).length, answers.length) - 1] ?? []
    },
    dial: (addresses, asked) => {
      dialled.push([addresses, asked])
      return Object.defineProperty(connect(port, '127.0.0.1'), 'remoteAddress', { get: () => landsOn ?? addresses[0] })
    },
  }
}

const input = { type: 'object' }
export type Options = HttpToolOptions<typeof input>
export type Made = ReturnType<typeof httpTool<typeof input>>

/** A tool that takes any fields, to spread and change. */
export const base = { name: 'api.call', description: 'Calls the API', input, url: 'https://api.test/' }

/** A tool of a server on this machine. */
export function local(port: number, options: Partial<Options> = {}, path = '/'): Made {
  return httpTool({ ...base, url: `http://127.0.0.1:${port}${path}`, allowPrivate: true, ...options })
}

export interface RunOptions {
  readonly signal?: AbortSignal
  readonly scope?: Scope
}

/** Runs a tool's handler the way the loop does, on an input that is taken as checked. */
export async function run(
  tool: Tool<never, HttpToolResult, 'server'>,
  input: JsonObject = {},
  options: RunOptions = {},
): Promise<unknown> {
  const { signal = new AbortController().signal, scope = {} } = options
  const context = { input, call: { id: 'turn-1.1.1', name: tool.name, args: input, attempt: 1 }, scope, signal }
  return tool.run?.(context as unknown as ToolContext<never>)
}

/** For api.test and other.test, until 2126; signs itself. */
const CERT = `-----BEGIN CERTIFICATE-----
MIIBqjCCAVCgAwIBAgIUPEGHKMgLu7ENeAAQ7KxHpahf//YwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOaG9sZHBvaW50IHRlc3QwIBcNMjYxMTE1MjA1NjI5WhgPMjEy
NjEwMjIyMDU2MjlaMBkxFzAVBgNVBAMMDmhvbGRwb2ludCB0ZXN0MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAE+eggupiLaAoJCwEqfvBl9qsm/Y7FYZOsXt8AG4LJ
UuF5/ySmrgrS9gS9ub4BIMPYkmmIoykfJJyXL7tQ4rrmwKN0MHIwHQYDVR0OBBYE
FEzUi4fK6IQaxQ2IthuRxSvhXyAaMB8GA1UdIwQYMBaAFEzUi4fK6IQaxQ2IthuR
xSvhXyAaMA8GA1UdEwEB/wQFMAMBAf8wHwYDVR0RBBgwFoIIYXBpLnRlc3SCCm90
aGVyLnRlc3QwCgYIKoZIzj0EAwIDSAAwRQIhAMRECYIgWLqLisG4RTP2uLa245Ox
+vSyLOY/praVAZ0qAiBFEgKVZHyyZKW4M7UO+huWcib860RQbqMsXUfPx8O91Q==
-----END CERTIFICATE-----`
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvDS8yXWWw3rKhWp0
qSq1CJwhfCh7FhJmt+MUyO+KfUihRANCAAT56CC6mItoCgkLASp+8GX2qyb9jsVh
k6xe3wAbgslS4Xn/JKauCtL2BL25vgEgw9iSaYijKR8knJcvu1DiuubA
-----END PRIVATE KEY-----`
