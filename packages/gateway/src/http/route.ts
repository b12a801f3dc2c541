/**
 * A route: what it is called, who may use it, what it takes and what it answers. The same declaration makes the OpenAPI
 * document and checks the requests, so the two cannot differ.
 */
import type { Runtime } from '@holdpoint/core'
import type { ProblemCode, Scope } from '@holdpoint/protocol'
import type { z } from '@hono/zod-openapi'
import type { Principal } from '../auth/principal.ts'
import type { Services } from '../services.ts'
import type { Answer } from './answer.ts'

/** Who is at the other end of the line, as far as a server lets us at it. */
export interface Peer {
  /** Where it comes from, as far as the network says. */
  readonly address?: string
  /** On a reader of a stream that no longer takes anything. */
  hangUp(): void
  /** Told once it is gone; at once, if it went before that was asked. */
  whenGone?(leave: () => void): void
  /** Answers without a Response in between, which costs more than making the answer. What it returns says so. */
  send?(status: number, headers: Readonly<Record<string, string>>, body: string | null): Response
}

export type Method = 'get' | 'post' | 'put' | 'delete'

/** A request that fits, from somebody who may make it. */
export interface Asked<P = unknown, Q = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly who: Principal
  /** Of the caller's tenant. */
  readonly runtime: Runtime
  /** Of the `Idempotency-Key` header. */
  readonly key: string | undefined
  readonly request: Request
  readonly peer: Peer | undefined
  readonly services: Services
}

interface Facts {
  readonly method: Method
  /** As OpenAPI writes it: `/api/agents/{name}`. */
  readonly path: string
  readonly name: string
  readonly tag: string
  readonly summary: string
  /** One of these is needed, or `admin`. Nobody need be known where it is empty. */
  readonly scopes: readonly Scope[]
  /** Answers that are no problem. */
  readonly answers: Readonly<
    Record<number, { readonly says: string; readonly schema?: z.ZodType; readonly stream?: true }>
  >
  /** Beside those that every route has. */
  readonly problems?: readonly ProblemCode[]
  /** Who makes a repeated write one write; the gateway unless said. */
  readonly once?: 'by-runtime'
}

export interface Route extends Facts {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly handle: (asked: Asked) => Promise<Answer>
}

type Infer<T extends z.ZodType | undefined> = T extends z.ZodType ? z.infer<T> : undefined

export function route<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  definition: Facts & {
    readonly params?: P
    readonly query?: Q
    readonly body?: B
    readonly handle: (asked: Asked<Infer<P>, Infer<Q>, Infer<B>>) => Promise<Answer>
  },
): Route {
  return definition as unknown as Route
}

export function wantsStream(request: Request): boolean {
  // Nobody would read the stream of a HEAD request.
  return request.method === 'GET' && (request.headers.get('accept') ?? '').toLowerCase().includes('text/event-stream')
}
