import type { FileData } from '@holdpoint/core'

/** The URL of a file for a page. The gateway serves stored files under this path. */
export function fileUrl(mediaType: string, file: FileData): string {
  switch (file.kind) {
    case 'url':
      return file.url
    case 'base64':
      return `data:${mediaType};base64,${file.base64}`
    case 'stored':
      return `/api/files/${encodeURIComponent(file.id)}`
  }
}

/** The stored file of such a URL, on any origin: its id decides, and the caller's right to it. */
export function fileOfUrl(url: string): FileData {
  const [, id] = /^(?:https?:\/\/[^/?#]+)?\/api\/files\/([\w-]{1,200})$/.exec(url) ?? []
  return id === undefined ? { kind: 'url', url } : { kind: 'stored', id, bytes: 0, sha256: '' }
}
