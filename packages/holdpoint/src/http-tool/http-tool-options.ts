/** What the author of an HTTP tool writes, and what its calls come to. No type of Node is named: programs without them compile. */
import type { AnySchema, Infer, Json, ServerToolOptions, Tool, ToolContext } from '@holdpoint/core'
import type { Headers } from './headers.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface HttpAnswer {
  readonly status: number
  /** Null when there was none. */
  readonly body: Json
}

export interface HttpToolOptions<I extends AnySchema> extends Omit<
  ServerToolOptions<I, HttpAnswer>,
  'run' | 'executor' | 'manual' | 'streaming' | 'late' | 'async'
> {
  /** May have `{fields}` of the input in its path or query. */
  readonly url: string
  /** Default: GET. */
  readonly method?: HttpMethod
  /** Sent to the url's own origin only. A function makes them for each call, from the secrets of its scope. */
  readonly headers?: Headers | ((context: ToolContext<Infer<I>>) => Headers | Promise<Headers>)
  /** The most that is read of a response. Default: 1 MB. */
  readonly maxBytes?: number
  /** The url's host may be in a private network, and need not be encrypted. */
  readonly allowPrivate?: boolean
  /** The url may be http:, which any network on the way can read and change. */
  readonly allowHttp?: boolean
}

export type HttpTool = <I extends AnySchema>(options: HttpToolOptions<I>) => Tool<Infer<I>, HttpAnswer, 'server'>
