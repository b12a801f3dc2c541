import * as Collapsible from '@radix-ui/react-collapsible'
import type { ReactNode } from 'react'
import type { Json, ViewPart } from '@holdpoint/client'
import { JsonValue } from './json-value.tsx'

type ProviderCall = Extract<ViewPart, { readonly type: 'provider-call' }>
type ProviderResult = Extract<ViewPart, { readonly type: 'provider-result' }>

/** A tool that the model's vendor ran on its servers, without an approval here. */
export function ProviderTool({
  call,
  result,
}: {
  readonly call: ProviderCall
  readonly result?: ProviderResult | undefined
}): ReactNode {
  return (
    <Collapsible.Root className="rounded-md border border-dashed border-border text-sm">
      <Collapsible.Trigger className="flex w-full items-center gap-2.5 rounded-md px-3 py-1.5 text-start outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring">
        <span
          aria-hidden
          className={`size-2 shrink-0 rounded-full border ${result?.isError ? 'border-destructive' : 'border-ring'}`}
        />
        <code className="font-mono text-[0.92em]">{call.name}</code>
        <span className="grow truncate text-xs text-muted-foreground">
          {result ? (result.isError ? 'failed at the vendor' : 'run by the vendor') : 'running at the vendor'}
        </span>
        <span aria-hidden className="text-muted-foreground rtl:-scale-x-100">
          ›
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content className="grid grid-cols-1 gap-3 border-t border-dashed border-border px-3 py-2.5">
        <Value label="Input" value={call.input} />
        {result && <Value label={result.isError ? 'Error' : 'Result'} value={result.result} />}
      </Collapsible.Content>
    </Collapsible.Root>
  )
}

function Value({ label, value }: { readonly label: string; readonly value: Json }): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-1">
      <h4 className="text-xs text-muted-foreground">{label}</h4>
      <JsonValue value={value} />
    </div>
  )
}
