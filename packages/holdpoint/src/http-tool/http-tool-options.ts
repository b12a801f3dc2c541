/** The options and the result of an HTTP tool. These types use no types of Node, so that programs without them compile. */
import type { AnySchema, Infer, Json, ServerToolOptions, Tool, ToolContext } from '@holdpoint/core'
import type { Headers } from './headers.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface HttpToolResult {
  readonly status: number
  /** Null if the response had none. */
  readonly body: Json
}

export interface HttpToolOptions<I extends AnySchema> extends Omit<
  ServerToolOptions<I, HttpToolResult>,
  'run' | 'executor' | 'manual' | 'streaming' | 'late' | 'async'
> {
  /** May contain `{fields}` of the input in its path or query. */
  readonly url: string
  /** Default: GET. */
  readonly method?: HttpMethod
  /** Sent only to the origin of the url. A function returns them for each call, for example with secrets of its scope. */
  readonly headers?: Headers | ((context: ToolContext<Infer<I>>) => Headers | Promise<Headers>)
  /** The largest response. Default: 1 MB. */
  readonly maxBytes?: number
  /** The url's host may be in a private network, and need not be encrypted. */
  readonly allowPrivate?: boolean
  /** The url may be http:, which any network on the way can read and change. */
  readonly allowHttp?: boolean
}

export type HttpTool = <I extends AnySchema>(options: HttpToolOptions<I>) => Tool<Infer<I>, HttpToolResult, 'server'>
