/** Text with hidden characters shown by name. `bdi` keeps its direction marks from changing the text around it. */
import type { ReactNode } from 'react'
import { piecesOf } from './hidden-characters.ts'

export function ShownText({ text }: { readonly text: string }): ReactNode {
  return (
    <bdi dir="auto" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
      {piecesOf(text).map((piece, index) =>
        piece.hidden === undefined ? (
          piece.text
        ) : (
          <mark
            key={index}
            title={`Hidden character ${piece.hidden}`}
            className="mx-0.5 inline-block max-w-full rounded-sm border border-destructive/40 bg-transparent px-1 py-px align-middle font-mono text-[0.7em] text-destructive"
          >
            {piece.hidden}
          </mark>
        ),
      )}
    </bdi>
  )
}
