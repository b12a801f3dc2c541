/** One field of a form, with the fields inside it. */
import { useId, type ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { Button } from './button.tsx'
import { hasHidden, asPlainText } from './hidden-characters.ts'
import { Addresses } from './json-value.tsx'
import { SchemaControl, type PlainField as Plain } from './schema-control.tsx'
import {
  fieldOf,
  firstValue,
  ownOf,
  pathKey,
  resolved,
  withValue,
  type Field,
  type Path,
  type Schema,
} from './schema.ts'
import { ShownText } from './shown-text.tsx'

export interface SchemaFieldProps {
  readonly schema: Schema
  readonly root: Schema
  readonly path: Path
  readonly value: Json | undefined
  readonly required?: boolean
  readonly label?: string
  /** Error messages, by path. */
  readonly errors: ReadonlyMap<string, string>
  readonly onChange: (value: Json | undefined) => void
}

/** A schema may refer to itself. Fields nested deeper than this are edited as JSON. */
const DEEP = 6

export function SchemaField(props: SchemaFieldProps): ReactNode {
  const schema = resolved(props.schema, props.root)
  const field: Field = props.path.length > DEEP ? { kind: 'json' } : fieldOf(schema)
  if (field.kind === 'object') return <ObjectField {...props} schema={schema} fields={field.fields} />
  if (field.kind === 'list') return <ListField {...props} schema={schema} items={field.items} />
  return <PlainField {...props} schema={schema} field={field} />
}

function ObjectField({
  fields,
  ...props
}: SchemaFieldProps & { readonly fields: Extract<Field, { kind: 'object' }>['fields'] }): ReactNode {
  const { root, path, value, errors, onChange, schema, required = false } = props
  const title = titleOf(schema, props.label)
  const inside = (
    <div className="grid grid-cols-1 gap-3">
      {fields.map(({ name, schema: each, required: needed }) => (
        <SchemaField
          key={name}
          schema={each}
          root={root}
          path={[...path, name]}
          value={ownOf(value, name)}
          required={needed}
          label={name}
          errors={errors}
          onChange={(next) => onChange(withValue(value, [name], next) ?? {})}
        />
      ))}
      <FieldError message={errors.get(pathKey(path))} />
    </div>
  )
  if (path.length === 0) return inside
  return (
    <fieldset className="grid grid-cols-1 gap-2 border-s-2 border-border ps-3">
      <Legend title={title} optional={!required} />
      <Description schema={schema} />
      {required || value !== undefined ? inside : null}
      {!required && (
        <Button
          small
          look={value === undefined ? 'plain' : 'quiet'}
          className="justify-self-start"
          onClick={() => onChange(value === undefined ? (firstValue(schema, root) ?? {}) : undefined)}
        >
          {value === undefined ? 'Add' : 'Remove'} {asPlainText(title)}
        </Button>
      )}
    </fieldset>
  )
}

function ListField({ items, ...props }: SchemaFieldProps & { readonly items: Schema }): ReactNode {
  const { root, path, value, errors, onChange, schema, label, required = path.length === 0 } = props
  const all = Array.isArray(value) ? (value as readonly Json[]) : []
  const title = titleOf(schema, label)
  const item = (index: number): string => asPlainText(`${title} ${index + 1}`.trim())
  const remove = (index: number): void => {
    const rest = all.filter((_, at) => at !== index)
    onChange(rest.length === 0 && !required ? undefined : rest)
  }
  return (
    <fieldset className="grid grid-cols-1 gap-2" aria-invalid={errors.has(pathKey(path)) || undefined}>
      <Legend title={title} optional={!required} />
      <Description schema={schema} />
      {all.map((each, index) => (
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            <SchemaField
              schema={items}
              root={root}
              path={[...path, index]}
              value={each}
              required
              label={item(index)}
              errors={errors}
              onChange={(next) => onChange(all.map((old, at) => (at === index ? (next ?? null) : old)))}
            />
          </div>
          <Button small look="quiet" aria-label={`Remove ${item(index)}`} onClick={() => remove(index)}>
            Remove
          </Button>
        </div>
      ))}
      <FieldError message={errors.get(pathKey(path))} />
      <Button
        small
        className="justify-self-start"
        onClick={() => onChange([...all, firstValue(items, root) ?? null] as Json)}
      >
        Add to {asPlainText(title)}
      </Button>
    </fieldset>
  )
}

function PlainField({ field, ...props }: SchemaFieldProps & { readonly field: Plain }): ReactNode {
  const { schema, path, label, required = path.length === 0, errors } = props
  const id = useId()
  const error = errors.get(pathKey(path))
  const described = [schema['description'] === undefined ? '' : `${id}-about`, error === undefined ? '' : `${id}-error`]
  const attributes = {
    id,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': described.join(' ').trim() || undefined,
    'aria-required': required || undefined,
  } as const
  const title = titleOf(schema, label ?? 'Answer')
  const yesNo = field.kind === 'yes-no'
  return (
    <div className={yesNo ? 'grid grid-cols-[auto_1fr] items-baseline gap-x-2' : 'grid grid-cols-1 gap-1'}>
      {yesNo && <SchemaControl {...props} field={field} attributes={attributes} />}
      <label htmlFor={id} className="text-sm font-medium">
        <ShownText text={title} />
        {!required && !yesNo && <Optional />}
      </label>
      <div className={yesNo ? 'col-span-2' : 'contents'}>
        <Description schema={schema} id={`${id}-about`} />
      </div>
      {!yesNo && <SchemaControl {...props} field={field} attributes={attributes} />}
      {typeof props.value === 'string' && <HiddenParts text={props.value} />}
      <FieldError message={error} id={`${id}-error`} />
    </div>
  )
}

function titleOf(schema: Schema, name = ''): string {
  return typeof schema['title'] === 'string' ? schema['title'] : name
}

/** Shows what an input element cannot show of its text: hidden characters, and the hosts of addresses. */
function HiddenParts({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="text-xs text-muted-foreground empty:hidden">
      {hasHidden(text) && (
        <p>
          With hidden characters: <ShownText text={text} />
        </p>
      )}
      <Addresses text={text} />
    </div>
  )
}

function Legend({ title, optional }: { readonly title: string; readonly optional: boolean }): ReactNode {
  return (
    <legend className="mb-1 text-sm font-medium">
      <ShownText text={title} />
      {optional && <Optional />}
    </legend>
  )
}

function Optional(): ReactNode {
  return <span className="ms-1.5 text-xs font-normal text-muted-foreground">optional</span>
}

function Description({ schema, id }: { readonly schema: Schema; readonly id?: string }): ReactNode {
  const { description } = schema
  return typeof description === 'string' ? (
    <p id={id} className="text-xs text-muted-foreground">
      <ShownText text={description} />
    </p>
  ) : null
}

function FieldError({ message, id }: { readonly message: string | undefined; readonly id?: string }): ReactNode {
  return message === undefined ? null : (
    <p id={id} className="text-xs text-destructive">
      {message}
    </p>
  )
}
