/** One place of a form, and the places in it. */
import { useId, useState, type ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { Button } from './button.tsx'
import {
  fieldOf,
  firstValue,
  isObject,
  pathKey,
  resolved,
  withValue,
  type Field,
  type Path,
  type Schema,
} from './schema.ts'

export interface SchemaFieldProps {
  readonly schema: Schema
  readonly root: Schema
  readonly path: Path
  readonly value: Json | undefined
  readonly required?: boolean
  readonly label?: string
  /** What is wrong, by place. */
  readonly troubles: ReadonlyMap<string, string>
  readonly onChange: (value: Json | undefined) => void
}

const INPUT =
  'w-full rounded-md border border-input bg-background px-2.5 py-1.5 text-sm outline-none placeholder:text-muted-foreground focus-visible:border-ring focus-visible:ring-2 focus-visible:ring-ring/40 aria-invalid:border-destructive'

export function SchemaField(props: SchemaFieldProps): ReactNode {
  const schema = resolved(props.schema, props.root)
  const field = fieldOf(schema)
  if (field.kind === 'object') return <ObjectField {...props} schema={schema} fields={field.fields} />
  if (field.kind === 'list') return <ListField {...props} schema={schema} items={field.items} />
  return <PlainField {...props} schema={schema} field={field} />
}

function ObjectField({
  fields,
  ...props
}: SchemaFieldProps & { readonly fields: Extract<Field, { kind: 'object' }>['fields'] }): ReactNode {
  const { root, path, value, troubles, onChange, schema } = props
  const inside = (
    <div className="grid grid-cols-1 gap-3">
      {fields.map(({ name, schema: each, required }) => (
        <SchemaField
          key={name}
          schema={each}
          root={root}
          path={[...path, name]}
          value={isObject(value) ? value[name] : undefined}
          required={required}
          label={name}
          troubles={troubles}
          onChange={(next) => onChange(withValue(value, [name], next) ?? {})}
        />
      ))}
    </div>
  )
  if (path.length === 0) return inside
  return (
    <fieldset className="grid grid-cols-1 gap-2 border-s-2 border-border ps-3">
      <legend className="mb-1 text-sm font-medium">{titleOf(schema, props.label)}</legend>
      <Description schema={schema} />
      {inside}
    </fieldset>
  )
}

function ListField({ items, ...props }: SchemaFieldProps & { readonly items: Schema }): ReactNode {
  const { root, path, value, troubles, onChange, schema, label } = props
  const all = Array.isArray(value) ? (value as readonly Json[]) : []
  const title = titleOf(schema, label)
  return (
    <fieldset className="grid grid-cols-1 gap-2" aria-invalid={troubles.has(pathKey(path)) || undefined}>
      <legend className="mb-1 text-sm font-medium">{title}</legend>
      <Description schema={schema} />
      {all.map((item, index) => (
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <SchemaField
              schema={items}
              root={root}
              path={[...path, index]}
              value={item}
              required
              label={`${title} ${index + 1}`}
              troubles={troubles}
              onChange={(next) => onChange(all.map((each, at) => (at === index ? (next ?? null) : each)))}
            />
          </div>
          <Button
            small
            look="quiet"
            aria-label={`Remove ${title} ${index + 1}`}
            onClick={() => onChange(all.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Trouble message={troubles.get(pathKey(path))} />
      <Button
        small
        className="justify-self-start"
        onClick={() => onChange([...all, firstValue(items, root) ?? null] as Json)}
      >
        Add to {title}
      </Button>
    </fieldset>
  )
}

type Plain = Exclude<Field, { readonly kind: 'object' | 'list' }>

function PlainField({ field, ...props }: SchemaFieldProps & { readonly field: Plain }): ReactNode {
  const { schema, path, label, required = path.length === 0, troubles } = props
  const id = useId()
  const trouble = troubles.get(pathKey(path))
  const described = [
    schema['description'] === undefined ? '' : `${id}-about`,
    trouble === undefined ? '' : `${id}-trouble`,
  ]
  const attributes = {
    id,
    'aria-invalid': trouble === undefined ? undefined : true,
    'aria-describedby': described.join(' ').trim() || undefined,
    'aria-required': required || undefined,
  } as const
  const title = titleOf(schema, label ?? 'Answer')
  const yesNo = field.kind === 'yes-no'
  return (
    <div className={yesNo ? 'grid grid-cols-[auto_1fr] items-baseline gap-x-2' : 'grid grid-cols-1 gap-1'}>
      {yesNo && <Control {...props} field={field} attributes={attributes} />}
      <label htmlFor={id} className="text-sm font-medium">
        {title}
        {!required && !yesNo && <span className="ms-1.5 text-xs font-normal text-muted-foreground">optional</span>}
      </label>
      <div className={yesNo ? 'col-span-2' : 'contents'}>
        <Description schema={schema} id={`${id}-about`} />
      </div>
      {!yesNo && <Control {...props} field={field} attributes={attributes} />}
      <Trouble message={trouble} id={`${id}-trouble`} />
    </div>
  )
}

interface Attributes {
  readonly id: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
  readonly 'aria-required': true | undefined
}

type ControlProps = SchemaFieldProps & { readonly field: Plain; readonly attributes: Attributes }

function Control({ field, attributes, value, required, onChange }: ControlProps): ReactNode {
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
              {option.label}
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
    case 'json':
      return <JsonControl attributes={attributes} value={value} onChange={onChange} />
  }
}

type TypedProps = Pick<ControlProps, 'attributes' | 'value' | 'onChange'>

/** What was typed stays as it was typed, `1.` on the way to `1.5` too. */
function NumberControl({ attributes, value, whole, onChange }: TypedProps & { readonly whole: boolean }): ReactNode {
  const [text, setText] = useState(value === undefined ? '' : String(value as number))
  const change = (next: string): void => {
    setText(next)
    const number = Number(next)
    onChange(next.trim() === '' ? undefined : Number.isFinite(number) ? number : next)
  }
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

function JsonControl({ attributes, value, onChange }: TypedProps): ReactNode {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const change = (next: string): void => {
    setText(next)
    onChange(parsedOr(next))
  }
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

/** What is no JSON is meant as text. */
function parsedOr(text: string): Json | undefined {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function titleOf(schema: Schema, name = ''): string {
  return typeof schema['title'] === 'string' ? schema['title'] : name
}

function Description({ schema, id }: { readonly schema: Schema; readonly id?: string }): ReactNode {
  const { description } = schema
  return typeof description === 'string' ? (
    <p id={id} className="text-xs text-muted-foreground">
      {description}
    </p>
  ) : null
}

function Trouble({ message, id }: { readonly message: string | undefined; readonly id?: string }): ReactNode {
  return message === undefined ? null : (
    <p id={id} className="text-xs text-destructive">
      {message}
    </p>
  )
}
