/** `holdpoint tail`: events as they happen. */
import { visible } from '@holdpoint/channels'
import type { Client, LogEvent } from '@holdpoint/client'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import type { Output } from './output.ts'
import { wholeNumber, withPlace } from './with-place.ts'

const PAGE = 200

export async function tail(command: Command): Promise<ExitCode> {
  const [conversation, ...more] = command.args
  if (more.length > 0) throw new UsageError('This takes one conversation, or none.')
  return withPlace(command, async (client) => {
    if (conversation === undefined) await tailAll(client, command)
    else await tailOne(client, conversation, command)
    return EXIT.ok
  })
}

async function tailOne(client: Client, id: string, { options, out, io }: Command): Promise<void> {
  const after = wholeNumber('after', options.after) ?? 0
  const onBreak = (error: Error): void => out.note(`Connection lost: ${error.message}`)
  for await (const message of client.conversations.follow(id, { after, signal: io.signal, onBreak }))
    if (message.kind === 'event') print(id, message.event, out)
}

/** Events from now on, of every conversation that the caller may see. */
async function tailAll(client: Client, { out, io }: Command): Promise<void> {
  const { signal } = io
  const seqs = new Map<string, number>()
  const look = async (known: boolean): Promise<void> => {
    let after: string | undefined
    do {
      const page = await client.conversations.list({ limit: PAGE, ...(after !== undefined && { after }) }, { signal })
      for (const { id, seq } of page.items) {
        // A conversation that began since the last look is printed from its start.
        const from = known ? (seqs.get(id) ?? 0) : seq
        if (seq > from) seqs.set(id, await printAfter(client, id, from, out, signal))
        else seqs.set(id, seq)
      }
      after = page.next
    } while (after !== undefined)
  }
  await look(false)
  out.note('Waiting for events.')
  let changed = Promise.withResolvers<void>()
  const unsubscribe = client.changes.subscribe(() => changed.resolve())
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  try {
    while (!signal.aborted) {
      await Promise.race([changed.promise, stopped])
      changed = Promise.withResolvers<void>()
      if (!signal.aborted) await look(true)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    unsubscribe()
  }
}

async function printAfter(client: Client, id: string, from: number, out: Output, signal: AbortSignal): Promise<number> {
  let after = from
  for (;;) {
    const { items } = await client.conversations.events(id, { after, limit: PAGE }, { signal })
    for (const event of items) print(id, event, out)
    after = items.at(-1)?.seq ?? after
    if (items.length < PAGE) return after
  }
}

function print(conversationId: string, event: LogEvent, out: Output): void {
  const time = new Date(event.at).toISOString()
  const call = 'callId' in event ? ` ${event.callId}` : ''
  const by = 'by' in event && event.by !== undefined ? ` by ${event.by}` : ''
  const line = `${out.dim(time)} ${visible(conversationId)} ${event.seq} ${out.bold(event.type)}${visible(call + by)}`
  out.item({ conversationId, ...event }, [line])
}
