/** The newest signed head of a conversation, and the files with which others check its log. */
import { useState, type ReactNode } from 'react'
import { useClient, useWatched } from '@holdpoint/react'
import { Button, errorWords } from '@holdpoint/ui'
import { ErrorNotice } from '../parts.tsx'
import { saveFile } from '../save-file.ts'

export function SignedHead({ conversationId }: { readonly conversationId: string }): ReactNode {
  const client = useClient()
  const [failure, setFailure] = useState<string>()
  const { value, error, refresh } = useWatched(`signed heads ${conversationId}`, (from, signal) =>
    from.conversations.signedHeads(conversationId, { signal }),
  )
  const saveLog = async (): Promise<void> => {
    const lines: string[] = []
    for await (const line of client.conversations.exportChain(conversationId)) lines.push(`${line}\n`)
    saveFile('conversation.jsonl', 'application/x-ndjson', lines)
    refresh()
  }
  const [head] = value?.items ?? []
  return (
    <section aria-label="Signed head" className="grid gap-2 border-t border-border pt-4 break-inside-avoid">
      <h2 className="text-base font-semibold">Signed head</h2>
      {error && <ErrorNotice error={error} />}
      {value && !head && <p>No head of this conversation was signed yet.</p>}
      {head && (
        <>
          <p className="text-muted-foreground">
            The key of the installation signed this text. It covers the events up to its seq, and the hash stands for
            all of them.
          </p>
          <pre className="font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">{head.text}</pre>
        </>
      )}
      <div className="flex flex-wrap gap-2 print:hidden">
        {head && (
          <Button
            small
            onClick={() => saveFile('signed-head.json', 'application/json', [JSON.stringify(head, null, 2)])}
          >
            Save the signed head
          </Button>
        )}
        <Button
          small
          onClick={() =>
            void saveLog().catch((thrown: unknown) =>
              setFailure(errorWords(thrown instanceof Error ? thrown : new Error(String(thrown)))),
            )
          }
        >
          Save the log with hashes
        </Button>
      </div>
      {failure !== undefined && (
        <p role="alert" className="text-sm text-destructive">
          {failure}
        </p>
      )}
    </section>
  )
}
