/**
 * A form for whatever fits a JSON Schema. It is checked when it is sent, and from then on as it is changed; what the
 * server finds wrong is shown in the same place.
 */
import { useId, useRef, useState, type ReactNode, type SubmitEvent } from 'react'
import type { Json } from '@holdpoint/client'
import { SchemaField } from './schema-field.tsx'
import { firstValue, pathKey, troublesOf, type Schema } from './schema.ts'

export interface SchemaFormProps {
  readonly schema: Schema
  /** In place of what the schema says stands there at first. */
  readonly value?: Json
  /** What the server had to say about the last try. */
  readonly problem?: string | undefined
  readonly busy?: boolean
  readonly onChange?: (value: Json | undefined) => void
  readonly onSubmit: (value: Json) => void
  /** The buttons; one of them is of the type `submit`. */
  readonly children: ReactNode
}

export function SchemaForm({
  schema,
  value: given,
  problem,
  busy,
  onChange,
  onSubmit,
  children,
}: SchemaFormProps): ReactNode {
  const [value, setValue] = useState<Json | undefined>(() => (given === undefined ? firstValue(schema, schema) : given))
  const [tried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const troubles = tried ? troublesOf(value, schema) : []

  const change = (next: Json | undefined): void => {
    setValue(next)
    onChange?.(next)
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    setTried(true)
    if (busy) return
    const [first] = troublesOf(value, schema)
    if (!first && value !== undefined) return onSubmit(value)
    // Once what is wrong is marked, the reader is taken to the first of it.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const said = new Map(troubles.map(({ path, message }) => [pathKey(path), message]))
  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      className="grid grid-cols-1 gap-3"
      aria-describedby={problem ? `${id}-problem` : undefined}
    >
      <SchemaField schema={schema} root={schema} path={[]} value={value} troubles={said} onChange={change} />
      {troubles.length > 0 && (
        <p role="alert" className="text-xs text-destructive">
          {troubles.length === 1 ? 'One thing does not fit yet.' : `${troubles.length} things do not fit yet.`}
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" id={`${id}-problem`} className="text-xs text-destructive">
          {problem}
        </p>
      )}
      {children}
    </form>
  )
}
