/** The tool, its address and the input that an approval lets run. The card accepts an approval only when it shows all of it. */
import type { ReactNode } from 'react'
import type { Json, ViewHold } from '@holdpoint/client'
import { Button } from './button.tsx'
import { FoldsContext, type Folds } from './folds.ts'
import { JsonChanges } from './json-changes-list.tsx'
import { changesBetween } from './json-changes.ts'
import { JsonValue, TextValue } from './json-value.tsx'

export interface WhatRunsProps {
  readonly hold: ViewHold
  readonly folds: Folds
  /** The input is shown in a form instead. */
  readonly editing: boolean
}

type Definition = NonNullable<ViewHold['definition']>

export function WhatRuns({ hold: { input, definition, definitionBefore }, folds, editing }: WhatRunsProps): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-3">
      {definition && definition.description !== '' && (
        <div className="grid grid-cols-1 gap-0.5">
          <h4 className="text-xs text-muted-foreground">Description of the tool</h4>
          <TextValue text={definition.description} />
        </div>
      )}
      <FoldsContext value={folds.around}>
        {definition && definitionBefore && <Changed before={definitionBefore} now={definition} />}
        <div className="grid grid-cols-1 gap-2 rounded-md border border-border bg-background px-3 py-2.5 not-has-[>:not([hidden])]:hidden">
          {definition && <Where definition={definition} />}
          {/* Hidden instead of removed, so that expanded values stay expanded. */}
          <div hidden={editing}>
            <h4 className="mb-2 text-xs text-muted-foreground">Runs with exactly this input</h4>
            <JsonValue value={input} />
          </div>
        </div>
      </FoldsContext>
    </div>
  )
}

/** The HTTP request or the MCP server that runs the call. */
function Where({ definition: { method, url, server } }: { readonly definition: Definition }): ReactNode {
  return (
    <>
      {url !== undefined && (
        <Labelled label="Sends">
          <code className="font-mono">{method ?? 'GET'}</code> <TextValue text={url} />
        </Labelled>
      )}
      {server && (
        <Labelled label="Runs on the MCP server">
          <TextValue text={server.name} /> <span className="text-muted-foreground">at</span>{' '}
          <TextValue text={server.at} />
        </Labelled>
      )}
    </>
  )
}

function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-0.5">
      <h4 className="text-xs text-muted-foreground">{label}</h4>
      <p className="min-w-0">{children}</p>
    </div>
  )
}

function Changed({ before, now }: { readonly before: Definition; readonly now: Definition }): ReactNode {
  const changes = changesBetween(before as unknown as Json, now as unknown as Json)
  if (changes.length === 0) return null
  return (
    <div className="grid grid-cols-1 gap-2 rounded-md border border-destructive/40 bg-background px-3 py-2.5">
      <h4 className="text-xs font-medium text-destructive">
        The tool has changed since it was approved: {changes.length}{' '}
        {changes.length === 1 ? 'difference' : 'differences'}
      </h4>
      <JsonChanges changes={changes} />
    </div>
  )
}

/** Says why the call cannot be approved yet. */
export function CollapsedNotice({ folds: { count, open } }: Pick<WhatRunsProps, 'folds'>): ReactNode {
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-xs text-held">
      {count === 1 ? 'One value is collapsed.' : `${count} values are collapsed.`} Show everything to approve.
      <Button small onClick={open}>
        Show everything
      </Button>
    </p>
  )
}
