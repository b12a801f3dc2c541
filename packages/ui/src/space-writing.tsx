import type { ReactNode } from 'react'
import type { SpaceWriting as Writing } from '@holdpoint/client'
import { CallInput } from './call-input.tsx'
import { Markdown } from './markdown.tsx'
import { Who } from './who.tsx'

/** The text that an agent is writing in a space, before it becomes a message or a call. */
export function SpaceWriting({ writing: { agent, name, text } }: { readonly writing: Writing }): ReactNode {
  return (
    <article aria-label={`${agent} is writing`} aria-busy className="grid grid-cols-1 gap-1">
      <Who name={agent} note="is writing" />
      {name === undefined ? <Markdown text={text} /> : <CallInput name={name} text={text} />}
    </article>
  )
}
