/** The files that the user added to a message. Each is uploaded at once, so that sending the message is quick. */
import { useRef, useState } from 'react'
import type { Client, UploadLimits, UserPart } from '@holdpoint/client'
import { byteWords } from './byte-words.ts'
import { errorWords } from './error-words.ts'

export interface Attachment {
  readonly key: number
  readonly name: string
  readonly bytes: number
  readonly state: 'uploading' | 'ready' | 'failed'
  /** Set when it is ready. */
  readonly part?: UserPart
  /** Why the upload failed. */
  readonly problem?: string
}

export interface Attachments {
  readonly all: readonly Attachment[]
  readonly add: (files: Iterable<File>) => void
  /** An upload that is under way is stopped. */
  readonly remove: (keys: readonly number[]) => void
}

export type UploadFile = (file: File, signal: AbortSignal) => Promise<UserPart>

export function useAttachments(upload: UploadFile | undefined): Attachments {
  const [all, setAll] = useState<readonly Attachment[]>([])
  const stops = useRef(new Map<number, AbortController>())
  const next = useRef(0)
  const change = (key: number, changed: Partial<Attachment>): void =>
    setAll((now) => now.map((each) => (each.key === key ? { ...each, ...changed } : each)))

  const addOne = (file: File, send: UploadFile): void => {
    const key = next.current++
    const stop = new AbortController()
    stops.current.set(key, stop)
    setAll((now) => [...now, { key, name: file.name, bytes: file.size, state: 'uploading' }])
    void send(file, stop.signal)
      .then(
        (part) => change(key, { state: 'ready', part }),
        (error: Error) => change(key, { state: 'failed', problem: errorWords(error) }),
      )
      .finally(() => stops.current.delete(key))
  }
  return {
    all,
    add: (files) => {
      if (upload) for (const file of files) addOne(file, upload)
    },
    remove: (keys) => {
      for (const key of keys) stops.current.get(key)?.abort()
      setAll((now) => now.filter(({ key }) => !keys.includes(key)))
    },
  }
}

/** Uploads a file for a message. One over the limits is refused before its bytes are sent. */
export function uploadWith(client: Client, by: string | undefined): UploadFile {
  let limits: Promise<UploadLimits> | undefined
  return async (file, signal) => {
    limits ??= client.files.limits()
    const { maxBytes, mediaTypes } = await limits.catch((error: unknown) => {
      limits = undefined
      throw error
    })
    if (file.size === 0) throw new Error('This file is empty.')
    if (file.size > maxBytes)
      throw new Error(`This file has ${byteWords(file.size)}. A file may have at most ${byteWords(maxBytes)}.`)
    if (!mediaTypes.some((pattern) => fits(file.type || 'application/octet-stream', pattern)))
      throw new Error(`Files of this type are not accepted. Accepted: ${mediaTypes.join(', ')}.`)
    const { part } = await client.files.upload(file, { signal, ...(by !== undefined && { by }) })
    return part
  }
}

function fits(type: string, pattern: string): boolean {
  return pattern === '*/*' || pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1)))
}
