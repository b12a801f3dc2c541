/** `useChat` without React: the chat of `ai` as it is, with its messages in a variable, and every request counted. */
import { WorkflowChatTransport } from '@ai-sdk/workflow/client'
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  type ChatTransport,
  type UIMessage,
} from 'ai'
import { vi } from 'vitest'

export type ToolPart = Extract<UIMessage['parts'][number], { readonly type: `tool-${string}` }>

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[]

  constructor(messages: UIMessage[]) {
    this.messages = messages
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, structuredClone(message)]
  }

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message))
  }

  snapshot = <T>(thing: T): T => structuredClone(thing)
}

export interface NodeChatOptions extends Pick<ChatInit<UIMessage>, 'onToolCall' | 'onData'> {
  /** For example `http://127.0.0.1:4000/api/chat`. */
  readonly api: string
  readonly id: string
  readonly headers?: Record<string, string>
  readonly messages?: readonly UIMessage[]
  /** Sends answers by itself, as most pages do. Default: true. */
  readonly automatic?: boolean
  /** `workflow`: `WorkflowChatTransport`, which counts chunks and comes back by itself. */
  readonly transport?: 'default' | 'workflow'
  /** In the place of `fetch`. */
  readonly fetch?: typeof fetch
}

interface Transported {
  readonly api: string
  readonly headers: Record<string, string>
  readonly fetch: typeof fetch
}

const transports: Record<'default' | 'workflow', (options: Transported) => ChatTransport<UIMessage>> = {
  default: (options) => new DefaultChatTransport(options),
  workflow: ({ api, headers, fetch: given }) =>
    new WorkflowChatTransport<UIMessage>({
      api,
      fetch: given,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
        headers: { ...headers, 'content-type': 'application/json' },
        body: { id, messages, trigger, messageId, resumable: true },
      }),
      prepareReconnectToStreamRequest: (request) => ({ api: request.api, headers }),
      // Its types are for compilers without `exactOptionalPropertyTypes`.
    }) as ChatTransport<UIMessage>,
}

export class NodeChat extends AbstractChat<UIMessage> {
  /** The requests so far: `POST` and `GET`. */
  readonly requests: string[]
  readonly #health: string

  constructor({
    api,
    id,
    headers = {},
    messages = [],
    automatic = true,
    transport = 'default',
    fetch: own = fetch,
    ...rest
  }: NodeChatOptions) {
    const requests: string[] = []
    const counted = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      requests.push(init?.method ?? 'GET')
      return own(input, init)
    }
    super({
      id,
      state: new PlainState([...messages]),
      transport: transports[transport]({ api, headers, fetch: counted }),
      ...(automatic && { sendAutomaticallyWhen: isComplete }),
      ...rest,
    })
    this.requests = requests
    this.#health = new URL('/api/health', api).href
  }

  /** The text of the last message. */
  get text(): string {
    return (this.lastMessage?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' | ')
  }

  tool(name: string): ToolPart {
    const parts = this.messages.flatMap((message) => message.parts)
    const found = parts.findLast((part) => part.type === `tool-${name}`)
    if (!found) throw new Error(`There is no call of ${name} in ${JSON.stringify(this.messages)}`)
    return found as ToolPart
  }

  data(type: string): readonly { readonly [field: string]: unknown }[] {
    const parts = this.messages.flatMap((message) => message.parts)
    return parts.flatMap((part) => (part.type === `data-${type}` && 'data' in part ? [part.data as never] : []))
  }

  /** Presses the button of an approval. */
  async answerApproval(name: string, approved: boolean, reason?: string): Promise<void> {
    const { approval } = this.tool(name)
    if (!approval) throw new Error(`${name} asks for no approval.`)
    await this.addToolApprovalResponse({ id: approval.id, approved, ...(reason !== undefined && { reason }) })
  }

  /** Waits until this many requests were made and answered. More of them is an error: a page that sends in a loop. */
  async settled(requests: number): Promise<void> {
    await vi.waitFor(() => {
      if (this.requests.length < requests || this.status === 'submitted' || this.status === 'streaming')
        throw new Error(`${this.requests.length} requests, ${this.status}: ${JSON.stringify(this.messages)}`)
    }, 60_000)
    // One more round trip, in which a loop would send again.
    await fetch(this.#health)
    if (this.requests.length !== requests) throw new Error(`The page sent ${this.requests.length} requests.`)
  }
}

function isComplete(given: { messages: UIMessage[] }): boolean {
  return (
    lastAssistantMessageIsCompleteWithToolCalls(given) || lastAssistantMessageIsCompleteWithApprovalResponses(given)
  )
}
