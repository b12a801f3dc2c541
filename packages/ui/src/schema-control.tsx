/** The input element of one field. */
import { useState, type ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { FileControl } from './file-control.tsx'
import { asPlainText } from './hidden-characters.ts'
import type { Field } from './schema.ts'

export type PlainField = Exclude<Field, { readonly kind: 'object' | 'list' }>

const INPUT =
  'w-full rounded-md border border-input bg-background px-2.5 py-1.5 text-sm outline-none placeholder:text-muted-foreground focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/40 aria-invalid:border-destructive'

interface Attributes {
  readonly id: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
  readonly 'aria-required': true | undefined
}

export interface SchemaControlProps {
  readonly field: PlainField
  readonly attributes: Attributes
  readonly value: Json | undefined
  readonly required?: boolean
  readonly onChange: (value: Json | undefined) => void
}

export function SchemaControl({ field, attributes, value, required = false, onChange }: SchemaControlProps): ReactNode {
  switch (field.kind) {
    case 'yes-no':
      return (
        <input
          {...attributes}
          type="checkbox"
          className="size-4 translate-y-0.5 accent-(--ring)"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      )
    case 'choice': {
      const chosen = field.options.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(value))
      return (
        <select
          {...attributes}
          className={INPUT}
          value={chosen}
          onChange={(event) => onChange(field.options[Number(event.target.value)]?.value)}
        >
          {(chosen < 0 || !required) && <option value={-1}>—</option>}
          {field.options.map((option, index) => (
            <option key={index} value={index}>
              {asPlainText(option.label)}
            </option>
          ))}
        </select>
      )
    }
    case 'number':
      return <NumberControl attributes={attributes} value={value} whole={field.whole} onChange={onChange} />
    case 'text': {
      const text = typeof value === 'string' ? value : ''
      const say = (next: string): void => onChange(next === '' && !field.empty ? undefined : next)
      return field.long ? (
        <textarea
          {...attributes}
          dir="auto"
          rows={4}
          className={`${INPUT} field-sizing-content max-h-60 min-h-16`}
          value={text}
          onChange={(event) => say(event.target.value)}
        />
      ) : (
        <input
          {...attributes}
          dir="auto"
          type={field.type}
          className={INPUT}
          value={text}
          onChange={(event) => say(event.target.value)}
        />
      )
    }
    case 'file':
      return <FileControl attributes={attributes} className={INPUT} onChange={onChange} />
    case 'json':
      return <JsonControl attributes={attributes} value={value} onChange={onChange} />
  }
}

type TypedProps = Pick<SchemaControlProps, 'attributes' | 'value' | 'onChange'>

/**
 * Keeps the text as the user typed it, for instance `1.` before `1.5`. If the value was changed from outside (an earlier
 * item of the list was removed), the text of the new value is shown.
 */
function useTyped(
  { value, onChange }: Pick<TypedProps, 'value' | 'onChange'>,
  read: (text: string) => Json | undefined,
  print: (value: Json) => string,
): readonly [text: string, change: (text: string) => void] {
  const [typed, setTyped] = useState<string>()
  const isCurrent = typed !== undefined && JSON.stringify(read(typed)) === JSON.stringify(value)
  const text = isCurrent ? typed : value === undefined ? '' : print(value)
  const change = (next: string): void => {
    setTyped(next)
    onChange(read(next))
  }
  return [text, change]
}

function numberOr(text: string): Json | undefined {
  const number = Number(text)
  return text.trim() === '' ? undefined : Number.isFinite(number) ? number : text
}

function NumberControl({ attributes, whole, ...rest }: TypedProps & { readonly whole: boolean }): ReactNode {
  const [text, change] = useTyped(rest, numberOr, (value) =>
    value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value),
  )
  return (
    <input
      {...attributes}
      inputMode={whole ? 'numeric' : 'decimal'}
      className={`${INPUT} tabular-nums`}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  )
}

function JsonControl({ attributes, ...rest }: TypedProps): ReactNode {
  const [text, change] = useTyped(rest, parsedOr, (value) => JSON.stringify(value, null, 2))
  return (
    <textarea
      {...attributes}
      rows={4}
      dir="ltr"
      spellCheck={false}
      className={`${INPUT} field-sizing-content max-h-60 font-mono text-xs`}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  )
}

/** The parsed value, or the text itself if it is not JSON. */
function parsedOr(text: string): Json | undefined {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
