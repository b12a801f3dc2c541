/** A gateway on a real port, and an agent whose tools are of every kind that a chat meets. */
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Model, type Runtime, type Tool } from 'holdpoint'
import type { UIMessage } from 'ai'
import { z } from 'zod'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gateway, nodeHandler, type Gateway } from '@holdpoint/gateway'
import type { Scope } from '@holdpoint/protocol'
import { NodeChat, type NodeChatOptions } from '../../../test/kit/node-chat.ts'

export interface ChatKit {
  readonly url: string
  readonly runtime: Runtime
  /** What the tools of the server did. */
  readonly ran: readonly unknown[]
  /** A page of a person. Default: Ada, who may approve. */
  page(id: string, options?: Partial<NodeChatOptions> & { readonly as?: string }): NodeChat
  /** A page that starts with the stored history. */
  reload(id: string, options?: Partial<NodeChatOptions> & { readonly as?: string }): Promise<NodeChat>
  post(path: string, body: unknown, as?: string): Promise<Response>
  /** Another gateway takes the place of this one, as with a new version. Open streams end. */
  restart(): Promise<void>
  close(): Promise<void>
}

const PEOPLE: Readonly<Record<string, readonly Scope[]>> = {
  ada: ['agent', 'reader', 'resolver'],
  ben: ['agent', 'reader', 'resolver'],
  // May chat, and approve nothing.
  eve: ['agent', 'reader'],
}

function toolsOf(ran: unknown[]): readonly Tool[] {
  const ranWith = (what: unknown): string => {
    ran.push(what)
    return 'sent'
  }
  const to = z.object({ to: z.string() })
  return [
    tool({
      name: 'search',
      description: 'Search',
      input: z.object({ q: z.string() }),
      run: ({ input }) => ranWith(input),
    }),
    tool({
      name: 'email',
      description: 'Send',
      input: to,
      approval: { required: true, reason: 'It leaves the company' },
      run: ({ input }) => ranWith(input),
    }),
    tool({
      name: 'pay',
      description: 'Pay',
      input: to,
      approval: { required: true, approvers: { count: 2, notRequester: false } },
      run: ({ input }) => ranWith(input),
    }),
    tool({
      name: 'place',
      description: 'Where the user is',
      executor: 'client',
      grace: '1 h',
      timeout: '1 h',
      input: z.object({}),
      output: z.object({ city: z.string() }),
    }),
    tool({
      name: 'photo',
      description: 'Take a photo',
      executor: 'client',
      grace: '1 h',
      timeout: '1 h',
      approval: 'required',
      input: z.object({}),
      output: z.object({ url: z.string() }),
    }),
    tool({
      name: 'size',
      description: 'Ask for a size',
      executor: 'human',
      timeout: '1 h',
      input: z.object({}),
      output: z.enum(['S', 'M']),
    }),
    tool({ name: 'ship', description: 'Ship', executor: 'external', timeout: '1 h', input: z.object({}) }),
    tool({
      name: 'broken',
      description: 'Fails',
      input: z.object({}),
      run: () => {
        throw new Error('no paper')
      },
    }),
  ]
}

export async function chatKit(script: readonly Script[] | Model): Promise<ChatKit> {
  const ran: unknown[] = []
  const model = 'stream' in script ? script : scriptedModel(script)
  const store = memoryStore({ now: Date.now })
  const desk = agent({ name: 'desk', model, tools: toolsOf(ran) })
  const runtime = await holdpoint({ store, agents: [desk] })
  const made = (): Gateway =>
    gateway({
      runtime,
      store,
      agents: [desk],
      log: () => {},
      auth: {
        authenticate: ({ headers }) => {
          const id = headers.get('x-user') ?? ''
          const scopes = PEOPLE[id]
          return scopes && { id, scopes }
        },
      },
    })
  let current = made()
  const server = createServer((request, response) => void nodeHandler(current)(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const page: ChatKit['page'] = (id, { as = 'ada', ...options } = {}) =>
    new NodeChat({ api: `${url}/api/chat`, id, headers: { 'x-user': as, origin: url }, ...options })
  return {
    url,
    runtime,
    ran,
    page,
    reload: async (id, options = {}) => {
      const response = await fetch(`${url}/api/chat/${id}`, { headers: { 'x-user': options.as ?? 'ada' } })
      const { messages } = (await response.json()) as { readonly messages: UIMessage[] }
      return page(id, { messages, ...options })
    },
    post: (path, body, as = 'ada') =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': as, origin: url },
        body: JSON.stringify(body),
      }),
    restart: async () => {
      const before = current
      current = made()
      await before.close()
    },
    close: async () => {
      await current.close()
      await runtime.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
