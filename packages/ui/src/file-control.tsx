/** A field for a file. The file is uploaded when it is chosen, and the value is its id. */
import { use, useRef, useState, type ComponentProps, type ReactNode } from 'react'
import { useClient } from '@holdpoint/react'
import { ActingAsContext } from './acting-as.ts'
import { byteWords } from './byte-words.ts'
import { errorWords } from './error-words.ts'
import { ShownText } from './shown-text.tsx'
import { uploadWith } from './use-attachments.ts'

export interface FileControlProps {
  readonly attributes: Pick<ComponentProps<'input'>, 'id' | 'aria-invalid' | 'aria-describedby' | 'aria-required'>
  readonly className: string
  readonly onChange: (id: string | undefined) => void
}

export function FileControl({ attributes, className, onChange }: FileControlProps): ReactNode {
  const client = useClient()
  const by = use(ActingAsContext)
  const [state, setState] = useState<{ readonly words: string; readonly isProblem: boolean }>()
  const newest = useRef(0)
  const choose = async (file: File | undefined): Promise<void> => {
    const nth = ++newest.current
    onChange(undefined)
    if (!file) return setState(undefined)
    setState({ words: 'uploading…', isProblem: false })
    try {
      const part = await uploadWith(client, by)(file, new AbortController().signal)
      // The user may have chosen another file in the meantime.
      if (nth !== newest.current || part.type !== 'file' || part.file.kind !== 'stored') return
      onChange(part.file.id)
      setState({ words: `uploaded, ${byteWords(file.size)}`, isProblem: false })
    } catch (error) {
      if (nth === newest.current) setState({ words: errorWords(error as Error), isProblem: true })
    }
  }
  return (
    <>
      <input
        {...attributes}
        type="file"
        className={className}
        onChange={(event) => void choose(event.target.files?.[0])}
      />
      {state && (
        <p
          role={state.isProblem ? 'alert' : 'status'}
          className={`text-xs ${state.isProblem ? 'text-destructive' : 'text-muted-foreground'}`}
        >
          <ShownText text={state.words} />
        </p>
      )}
    </>
  )
}
