/** The stock clients of AG-UI 1.0 and 0.0.59 over HTTP. Both check the order and the shape of every event that they read. */
import { randomUUID } from 'node:crypto'
import { HttpAgent, type Interrupt, type Message } from '@ag-ui/client'
import { EventSchemas } from '@ag-ui/core/schemas'
import { HttpAgent as OldAgent } from 'ag-ui-client-0'
import { afterEach, describe, expect, test } from 'vitest'
import { chatKit, type ChatKit } from './chat-kit.ts'

const open: ChatKit[] = []
async function start(...args: Parameters<typeof chatKit>): Promise<ChatKit> {
  const here = await chatKit(...args)
  open.push(here)
  return here
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const email = { calls: [{ name: 'email', input: { to: 'bo' } }] }

/** What both clients can do. */
interface Client {
  readonly messages: Message[]
  readonly interrupts: readonly Interrupt[]
  readonly errors: string[]
  say(text: string): Promise<void>
  /** Runs again, with answers to interrupts or messages that were added. */
  run(resume?: readonly { interruptId: string; status: 'resolved' | 'cancelled'; payload?: unknown }[]): Promise<void>
  add(message: Message): void
}

const CLIENTS: Readonly<Record<string, (url: string, threadId: string, as?: string) => Client>> = {
  '1.0': (url, threadId, as = 'ada') =>
    client(new HttpAgent({ url, threadId, headers: { 'x-user': as, origin: new URL(url).origin } })),
  '0.0.59': (url, threadId, as = 'ada') =>
    client(
      new OldAgent({ url, threadId, headers: { 'x-user': as, origin: new URL(url).origin } }) as unknown as HttpAgent,
    ),
}

function client(agent: HttpAgent): Client {
  let interrupts: readonly Interrupt[] = []
  const errors: string[] = []
  const run: Client['run'] = async (resume) => {
    interrupts = []
    await agent
      .runAgent(
        { ...(resume && { resume: [...resume] as never }) },
        {
          onEvent: ({ event }) => {
            const read = EventSchemas.safeParse(JSON.parse(JSON.stringify(event)))
            if (!read.success) errors.push(`${event.type}: ${read.error.message}`)
          },
          onRunFinishedEvent: ({ event }) => {
            const { outcome } = event as { outcome?: { type: string; interrupts?: Interrupt[] } }
            interrupts = outcome?.interrupts ?? []
          },
          onRunErrorEvent: ({ event }) => void errors.push(`${event.code}: ${event.message}`),
          onRunFailed: ({ error }) => void errors.push(`failed: ${error.message}`),
        },
      )
      .catch((error: Error) => errors.push(error.message))
  }
  return {
    get messages() {
      return agent.messages
    },
    get interrupts() {
      return interrupts
    },
    errors,
    run,
    add: (message) => agent.addMessage(message),
    say: (text) => {
      agent.addMessage({ id: randomUUID(), role: 'user', content: text })
      return run()
    },
  }
}

const textOf = ({ messages }: Client): unknown => messages.findLast(({ role }) => role === 'assistant')?.content
const resultOf = ({ messages }: Client): unknown => messages.findLast(({ role }) => role === 'tool')?.content

describe.each(Object.keys(CLIENTS))('AG-UI %s', (version) => {
  const connect = ({ url }: ChatKit, id: string, as?: string): Client =>
    (CLIENTS[version] as NonNullable<(typeof CLIENTS)[string]>)(`${url}/api/ag-ui`, id, as)

  test('a message is answered, with reasoning and a tool of the server', async () => {
    const here = await start([
      { reasoning: 'hm', text: 'Looking.', calls: [{ name: 'search', input: { q: 'x' } }] },
      'Found it.',
    ])
    const page = connect(here, 'c1')
    await page.say('find')
    expect(page.errors).toEqual([])
    expect(textOf(page)).toBe('Found it.')
    expect(resultOf(page)).toBe('sent')
    expect(page.messages.map(({ role }) => role)).toEqual(['user', 'reasoning', 'assistant', 'tool', 'assistant'])
  })

  test('a call that waits for approval interrupts the run, and runs once after it', async () => {
    const here = await start([email, 'Sent it.'])
    const page = connect(here, 'c1')
    await page.say('write')
    expect(page.interrupts).toMatchObject([
      { reason: 'tool_call', message: 'It leaves the company', responseSchema: { required: ['approved'] } },
    ])
    expect(here.ran).toEqual([])
    const resume = page.interrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: true },
    }))
    await page.run(resume)
    expect(page.errors).toEqual([])
    expect({ text: textOf(page), ran: here.ran }).toEqual({ text: 'Sent it.', ran: [{ to: 'bo' }] })
    // The same run once more, as after a lost connection.
    await page.run(resume)
    expect({ errors: page.errors, ran: here.ran }).toEqual({ errors: [], ran: [{ to: 'bo' }] })
  })

  test('an approval may change the input; a denial runs nothing', async () => {
    const here = await start([email, 'Sent it.', email, 'Not sent.'])
    const page = connect(here, 'c1')
    await page.say('write')
    const answer = (payload: object): Promise<void> =>
      page.run(page.interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload })))
    await answer({ approved: true, editedArgs: { to: 'cy' } })
    expect(here.ran).toEqual([{ to: 'cy' }])
    await page.say('again')
    await answer({ approved: false, reason: 'no' })
    expect({ text: textOf(page), result: resultOf(page), ran: here.ran }).toMatchObject({
      text: 'Not sent.',
      result: expect.stringContaining('no'),
      ran: [{ to: 'cy' }],
    })
    expect(page.errors).toEqual([])
  })

  test('a question is answered with its schema, and an answer that does not fit is an error', async () => {
    const here = await start([{ calls: [{ name: 'size' }] }, 'M it is.'])
    const page = connect(here, 'c1')
    await page.say('a shirt')
    expect(page.interrupts).toMatchObject([{ reason: 'input_required', responseSchema: { enum: ['S', 'M'] } }])
    const id = page.interrupts[0]?.id ?? ''
    await page.run([{ interruptId: id, status: 'resolved', payload: 'XXL' }])
    expect(page.errors.splice(0).join()).toContain('invalid')
    // A reloaded page has no messages and no interrupts. Its first run gets both.
    const again = connect(here, 'c1')
    await again.run()
    await again.run([{ interruptId: id, status: 'resolved', payload: 'M' }])
    expect({ errors: again.errors, text: textOf(again) }).toEqual({ errors: [], text: 'M it is.' })
  })

  test('a client tool is a call without a result, which the page adds', async () => {
    const here = await start([{ calls: [{ name: 'place' }] }, 'You are in Rome.'])
    const page = connect(here, 'c1')
    await page.say('where')
    const call = page.messages.flatMap((message) => ('toolCalls' in message ? (message.toolCalls ?? []) : [])).at(-1)
    expect(call?.function.name).toBe('place')
    page.add({ id: 'r1', role: 'tool', toolCallId: call?.id ?? '', content: JSON.stringify({ city: 'Rome' }) })
    await page.run()
    expect({ errors: page.errors, text: textOf(page) }).toEqual({ errors: [], text: 'You are in Rome.' })
  })

  test('an interrupt of another conversation, one that was never asked, and a second answer run nothing', async () => {
    const here = await start([email, email, 'Not sent.'])
    const other = connect(here, 'c1')
    await other.say('write')
    const page = connect(here, 'c2')
    await page.say('write')
    const yes = (interruptId: string): Promise<void> =>
      connect(here, 'c2').run([{ interruptId, status: 'resolved', payload: { approved: true } }])
    for (const id of [
      other.interrupts[0]?.id ?? '',
      'made-up:1',
      'nonsense',
      `${page.interrupts[0]?.id.replace(/:1$/, '')}:2`,
    ])
      await yes(id)
    expect(here.ran).toEqual([])
    await here.post(`/api/holds/c2/${page.interrupts[0]?.toolCallId}/resolve`, { kind: 'reject' }, 'ben')
    await page.run([{ interruptId: page.interrupts[0]?.id ?? '', status: 'resolved', payload: { approved: true } }])
    expect(page.errors.join()).toContain('conflict')
    expect(here.ran).toEqual([])
  })

  test('a message while a call waits is refused, and a failed model is an error', async () => {
    const here = await start([email, new Error('the vendor is down')])
    const page = connect(here, 'c1')
    await page.say('write')
    const fresh = connect(here, 'c1')
    await fresh.say('and?')
    expect(fresh.errors.join()).toContain('turn-in-progress')
    const failing = connect(here, 'c3')
    await failing.say('hi')
    expect(failing.errors.join()).toContain('The model could not answer')
  })

  test('another person has no access', async () => {
    const here = await start(['Hello.'])
    await connect(here, 'c1').say('hi')
    const eve = connect(here, 'c1', 'eve')
    await eve.say('let me in')
    expect(eve.errors.join()).toContain('403')
    expect(JSON.stringify(eve.messages)).not.toContain('Hello.')
  })

  test('a page that opens before the first message gets an empty run, and makes no conversation', async () => {
    const here = await start([])
    const page = connect(here, 'c1')
    await page.run()
    expect({ errors: page.errors, messages: page.messages }).toEqual({ errors: [], messages: [] })
    await page.run([{ interruptId: 'made-up:1', status: 'resolved', payload: { approved: true } }])
    expect(page.errors.join()).toContain('unknown')
    expect(await here.runtime.view('c1')).toBeUndefined()
  })
})
