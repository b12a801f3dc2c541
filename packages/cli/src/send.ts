/** `holdpoint send`. */
import { visible } from '@holdpoint/channels'
import { openAsBlob } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Client, UserPart } from '@holdpoint/client'
import type { Command } from './command.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import { actor, named, wholeNumber, withPlace } from './with-place.ts'

export async function send(command: Command): Promise<ExitCode> {
  const { options, out, io } = command
  const { CONVERSATION, TEXT } = named(command.args, 'CONVERSATION', 'TEXT')
  const wait = wholeNumber('wait', options.wait)
  const { agent } = options
  return withPlace(command, async (client) => {
    const files: UserPart[] = []
    for (const path of options.file ?? []) files.push(await upload(client, path, command))
    const content = files.length === 0 ? TEXT : [{ type: 'text', text: TEXT } as const, ...files]
    const sent = await client.conversations.send(CONVERSATION, content, {
      ...actor(options),
      ...(agent !== undefined && { agent }),
      ...(wait !== undefined && { wait }),
      signal: io.signal,
    })
    if (!sent.ok) {
      out.result(sent, [out.bad(visible(sent.message))])
      return EXIT.refused
    }
    const { result } = sent
    const text = result?.status === 'done' ? visible(result.text) : undefined
    out.result(sent, [text ?? (result ? `The turn is ${result.status}.` : 'Accepted.')])
    return EXIT.ok
  })
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.log': 'text/plain',
}

async function upload(client: Client, path: string, { options, io }: Command): Promise<UserPart> {
  const content = await openFile(path)
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'
  const file = { name: basename(path), mediaType, signal: io.signal, ...actor(options) }
  return (await client.files.upload(content, file)).part
}

async function openFile(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path)
  } catch {
    throw new UsageError(`There is no file ${path} that can be read.`)
  }
}
