/**
 * A route: its path, scopes, request and responses. The OpenAPI document and the validation of requests both come from
 * this declaration, so they cannot differ.
 */
import type { Runtime } from '@holdpoint/spaces'
import type { ProblemCode, Scope } from '@holdpoint/protocol'
import type { z } from '@hono/zod-openapi'
import type { Caller } from '../auth/caller.ts'
import type { GatewayServices } from '../gateway-services.ts'
import type { RouteAnswer } from './route-answer.ts'
import type { TextStream } from './text-stream.ts'

/** The client's connection, as far as the server exposes it. */
export interface Peer {
  /** The network address of the peer. */
  readonly address?: string
  /** Closes the connection of a stream reader that reads nothing any more. */
  disconnect(): void
  /** Calls back when the client disconnects; at once if it already did. */
  onDisconnect?(leave: () => void): void
  /** Sends the response directly: creating a Response costs more than the answer. Returns a placeholder. */
  send?(status: number, headers: Readonly<Record<string, string>>, body: string | null): Response
  /** Starts a response of status 200 and writes its body directly. Returns a placeholder. */
  stream?(headers: Readonly<Record<string, string>>, body: TextStream): Response
}

export type Method = 'get' | 'post' | 'put' | 'delete'

/** A validated request from an authorized caller. */
export interface RouteRequest<P = unknown, Q = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly caller: Caller
  /** The runtime of the caller's tenant. */
  readonly runtime: Runtime
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined
  readonly request: Request
  readonly peer: Peer | undefined
  readonly services: GatewayServices
}

interface RouteDefinition {
  readonly method: Method
  /** In OpenAPI syntax: `/api/agents/{name}`. */
  readonly path: string
  readonly name: string
  readonly tag: string
  readonly summary: string
  /** The caller needs one of these, or `admin`. Empty: no authentication. */
  readonly scopes: readonly Scope[]
  /** Successful responses by status. */
  readonly responses: Readonly<
    Record<
      number,
      { readonly description: string; readonly schema?: z.ZodType; readonly stream?: true; readonly lines?: z.ZodType }
    >
  >
  /** The body is lines of JSON, each as this schema says. The route gets them as one text. */
  readonly lines?: z.ZodType
  /** The body is a file. The route reads it from the request. */
  readonly bytes?: true
  /** In addition to those of every route. */
  readonly problems?: readonly ProblemCode[]
  /** `by-runtime`: the runtime deduplicates repeated writes. Default: the gateway does, with the `Idempotency-Key`. */
  readonly idempotency?: 'by-runtime'
}

export interface Route extends RouteDefinition {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly handle: (asked: RouteRequest) => Promise<RouteAnswer>
}

type Infer<T extends z.ZodType | undefined> = T extends z.ZodType ? z.infer<T> : undefined

export function route<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  definition: RouteDefinition & {
    readonly params?: P
    readonly query?: Q
    readonly body?: B
    readonly handle: (asked: RouteRequest<Infer<P>, Infer<Q>, Infer<B>>) => Promise<RouteAnswer>
  },
): Route {
  return definition as unknown as Route
}

export function wantsStream(request: Request): boolean {
  // A HEAD request must not open a stream: its response has no body.
  return request.method === 'GET' && (request.headers.get('accept') ?? '').toLowerCase().includes('text/event-stream')
}
