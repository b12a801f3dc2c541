/** A file of a message: an image is shown, and every other file is a link with its name and size. */
import { useEffect, useState, type ReactNode } from 'react'
import { useFile } from '@holdpoint/react'
import type { FileData } from '@holdpoint/client'
import { errorWords } from './error-words.ts'
import { FileLink } from './file-link.tsx'
import { ShownText } from './shown-text.tsx'

export interface FilePartProps {
  readonly part: { readonly mediaType: string; readonly file: FileData; readonly filename?: string }
}

/** Pictures that cannot have code. SVG can. */
const IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']
const IMAGE = 'max-h-72 max-w-full rounded-md border border-border bg-background object-contain'

export function FilePart({ part: { mediaType, file, filename } }: FilePartProps): ReactNode {
  const name = filename ?? mediaType
  const isImage = IMAGES.includes(mediaType)
  switch (file.kind) {
    case 'stored': {
      const link = <FileLink file={{ id: file.id, name, bytes: file.bytes }} />
      return isImage ? <StoredImage id={file.id} name={name} link={link} /> : link
    }
    case 'base64':
      return isImage ? (
        <img src={`data:${mediaType};base64,${file.base64}`} alt={name} className={IMAGE} />
      ) : (
        <FileNote name={name} />
      )
    // It may be on a site that records who loads it, so the page does not.
    case 'url':
      return <FileNote name={name} />
  }
}

function StoredImage({
  id,
  name,
  link,
}: {
  readonly id: string
  readonly name: string
  readonly link: ReactNode
}): ReactNode {
  const { blob, error } = useFile(id)
  const url = useObjectUrl(blob)
  return (
    <figure className="my-1 grid grid-cols-1 justify-items-start gap-1">
      {url !== undefined && <img src={url} alt={name} className={IMAGE} />}
      {url === undefined && !error && (
        <div
          role="status"
          aria-label={`${name} is being loaded`}
          className="h-40 w-56 max-w-full animate-pulse rounded-md border border-border bg-muted motion-reduce:animate-none"
        />
      )}
      {error && (
        <p className="text-xs text-muted-foreground">
          This image cannot be shown: <ShownText text={errorWords(error)} />
        </p>
      )}
      <figcaption className="max-w-full">{link}</figcaption>
    </figure>
  )
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!blob) return undefined
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}

function FileNote({ name }: { readonly name: string }): ReactNode {
  return (
    <p className="text-xs text-muted-foreground">
      File: <ShownText text={name} />
    </p>
  )
}
