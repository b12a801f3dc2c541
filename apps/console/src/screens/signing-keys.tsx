/** The keys with which the installation signs logs, to give to the people who check them. */
import type { ReactNode } from 'react'
import type { AdminEntry } from '@holdpoint/client'
import { useWatched } from '@holdpoint/react'
import { Ago, Button } from '@holdpoint/ui'
import { ErrorNotice } from '../parts.tsx'
import { saveFile } from '../save-file.ts'

/** `newest`: the newest entry of the audit log. */
export function SigningKeys({ newest }: { readonly newest: AdminEntry | undefined }): ReactNode {
  const { value, error } = useWatched('signing keys', (client, signal) => client.adminLog.signingKeys({ signal }))
  if (error) return <ErrorNotice error={error} />
  if (!value) return null
  const { items, current } = value
  return (
    <section aria-label="Signatures" className="grid gap-3 rounded-lg border border-border bg-card px-4 py-3 text-sm">
      <p>{items.length === 0 ? 'Nothing is signed: this installation has no key.' : signedWords(newest)}</p>
      <ul className="grid gap-2 empty:hidden">
        {items.map(({ key, publicKey, since }) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{key}</code>
            <span className="text-xs text-muted-foreground">
              {key === current ? 'in use since' : 'used before, from'} <Ago at={since} />
            </span>
            <Button
              small
              onClick={() => saveFile(`public-key-${key.slice(0, 8)}.pem`, 'application/x-pem-file', [publicKey])}
            >
              Save the public key
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function signedWords(newest: AdminEntry | undefined): string {
  if (!newest) return 'The key of this installation signs each entry, and the heads of conversations.'
  return newest.signed
    ? `The newest entry, ${newest.n}, is signed. So are the heads of conversations, at intervals.`
    : `The newest entry, ${newest.n}, is not signed. The process that wrote it had no key.`
}
