/**
 * A form generated from a JSON Schema. It validates when it is submitted, and after that on each change. Errors from the
 * server are shown in the same place.
 */
import { useId, useRef, useState, type ReactNode, type SubmitEvent } from 'react'
import type { Json } from '@holdpoint/client'
import { SchemaField } from './schema-field.tsx'
import { firstValue, pathKey, fieldErrorsOf, type Schema } from './schema.ts'

export interface SchemaFormProps {
  readonly schema: Schema
  /** The initial value, instead of the defaults of the schema. */
  readonly value?: Json
  /** The error of the last submit, from the server. */
  readonly problem?: string | undefined
  readonly busy?: boolean
  readonly onChange?: (value: Json | undefined) => void
  readonly onSubmit: (value: Json) => void
  /** The buttons; one of them has the type `submit`. */
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
  const errors = tried ? fieldErrorsOf(value, schema) : []

  const change = (next: Json | undefined): void => {
    setValue(next)
    onChange?.(next)
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    setTried(true)
    if (busy) return
    const [first] = fieldErrorsOf(value, schema)
    if (!first && value !== undefined) return onSubmit(value)
    // After the next drawing marks the invalid fields, focus the first of them.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const messages = new Map(errors.map(({ path, message }) => [pathKey(path), message]))
  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      className="grid grid-cols-1 gap-3"
      aria-describedby={problem ? `${id}-problem` : undefined}
    >
      <SchemaField schema={schema} root={schema} path={[]} value={value} errors={messages} onChange={change} />
      {errors.length > 0 && (
        <p role="alert" className="text-xs text-destructive">
          {errors.length === 1 ? 'One field is not valid yet.' : `${errors.length} fields are not valid yet.`}
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
