/** The files of a message that is being written, with their uploads. */
import type { ReactNode } from 'react'
import { byteWords } from './byte-words.ts'
import { asPlainText } from './hidden-characters.ts'
import { ShownText } from './shown-text.tsx'
import type { Attachments } from './use-attachments.ts'

export function AttachmentList({ attachments: { all, remove } }: { readonly attachments: Attachments }): ReactNode {
  if (all.length === 0) return null
  return (
    <ul aria-label="Files of this message" className="mx-auto mb-1.5 flex max-w-3xl flex-wrap gap-1.5">
      {all.map(({ key, name, bytes, state, problem }) => (
        <li
          key={key}
          data-state={state}
          className="flex max-w-full min-w-0 items-center gap-2 rounded-md border border-border bg-card py-1 ps-2.5 pe-1 text-xs data-[state=failed]:border-destructive/50"
        >
          <span className="min-w-0">
            <ShownText text={name} />{' '}
            {problem === undefined ? (
              <span role="status" className="whitespace-nowrap text-muted-foreground">
                {state === 'uploading' ? 'uploading…' : byteWords(bytes)}
              </span>
            ) : (
              <span role="alert" className="text-destructive">
                <ShownText text={problem} />
              </span>
            )}
          </span>
          <button
            type="button"
            aria-label={`Remove ${asPlainText(name)}`}
            onClick={() => remove([key])}
            className="grid size-6 shrink-0 place-items-center rounded-sm text-muted-foreground outline-none hover:bg-accent hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring"
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}
