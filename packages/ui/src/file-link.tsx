/** A stored file by its name and size. It is read when the user clicks, and saved: a page never opens a file of a message. */
import { useState, type ReactNode } from 'react'
import { useClient } from '@holdpoint/react'
import { byteWords } from './byte-words.ts'
import { errorWords } from './error-words.ts'
import { ShownText } from './shown-text.tsx'

export interface FileLinkProps {
  readonly file: { readonly id: string; readonly name: string; readonly bytes: number }
  /** Default: the name. */
  readonly saveAs?: string
}

export function FileLink({ file: { id, name, bytes }, saveAs = name }: FileLinkProps): ReactNode {
  const client = useClient()
  const [state, setState] = useState<{ readonly busy: boolean; readonly problem?: string }>({ busy: false })
  const save = async (): Promise<void> => {
    if (state.busy) return
    setState({ busy: true })
    try {
      saveBlob(await client.files.read(id), saveAs)
      setState({ busy: false })
    } catch (error) {
      setState({ busy: false, problem: errorWords(error as Error) })
    }
  }
  return (
    <div className="grid min-w-0 grid-cols-1 justify-items-start gap-1 text-xs">
      <button
        type="button"
        title={`Save ${saveAs}`}
        aria-busy={state.busy}
        onClick={() => void save()}
        className="max-w-full rounded-sm text-start outline-none focus-visible:ring-2 focus-visible:ring-ring"
      >
        <span className="underline decoration-ring underline-offset-3 hover:decoration-2">
          <ShownText text={name} />
        </span>{' '}
        <span className="whitespace-nowrap text-muted-foreground">{state.busy ? 'reading…' : byteWords(bytes)}</span>
      </button>
      {state.problem !== undefined && (
        <p role="alert" className="text-destructive">
          <ShownText text={state.problem} />
        </p>
      )}
    </div>
  )
}

function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
