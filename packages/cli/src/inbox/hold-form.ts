/** A form with the fields of an answer, or of changed arguments, as a person fills it in. Pure: each key makes a new one. */
import { fieldOfRefusal, formFields, formValue, type FormField } from '@holdpoint/channels'
import type { HoldRow } from '@holdpoint/client'
import { isObject } from '@holdpoint/core'
import type { Json, JsonObject } from 'holdpoint'
import { typedText, typeKey, type PressedKey, type TypedText } from './typed-text.ts'

export interface HoldForm {
  readonly fields: readonly FormField[]
  readonly texts: readonly TypedText[]
  /** The position of the field with the cursor. */
  readonly at: number
  readonly errors: ReadonlyMap<number, string>
}

export function answerForm({ answerSchema }: HoldRow): HoldForm {
  return formOf(answerSchema)
}

/** `input`: what the fields have at first. */
export function editForm({ definition }: HoldRow, input: Json): HoldForm {
  const schema = definition?.input
  return formOf(isObject(schema) ? schema : undefined, input)
}

function formOf(schema: JsonObject | undefined, value?: Json): HoldForm {
  const fields = formFields(schema, value)
  return { fields, texts: fields.map((field) => typedText(initialOf(field))), at: 0, errors: new Map() }
}

function initialOf({ kind, initial = '' }: FormField): string {
  return kind === 'json' && initial !== '' ? JSON.stringify(JSON.parse(initial)) : initial
}

/** What the form says, or the form with what is wrong, and the cursor there. */
export function readForm(form: HoldForm): { readonly value: Json } | { readonly wrong: HoldForm } {
  const read = formValue(
    form.fields,
    form.texts.map(({ text }) => text),
  )
  if ('value' in read) return read
  return { wrong: { ...form, errors: read.errors, at: Math.min(...read.errors.keys()) } }
}

/** After the schema of the tool refused the value. */
export function refusedForm(form: HoldForm, message: string): HoldForm {
  const at = fieldOfRefusal(form.fields, message)
  return { ...form, at, errors: new Map([[at, message]]) }
}

export function stepInForm(form: HoldForm, by: 1 | -1): HoldForm {
  return { ...form, at: Math.max(0, Math.min(form.fields.length - 1, form.at + by)) }
}

export function typeInForm(form: HoldForm, input: string, key: PressedKey): HoldForm {
  const { fields, at } = form
  const choices = choicesOf(fields[at])
  const step = key.rightArrow ? 1 : key.leftArrow ? -1 : 0
  if (choices.length === 0 || step === 0) return changeField(form, (field) => typeKey(field, input, key))
  return changeField(form, ({ text }) => {
    const now = choices.indexOf(text)
    const next = now < 0 ? (step > 0 ? 0 : choices.length - 1) : (now + step + choices.length) % choices.length
    return typedText(choices[next])
  })
}

export function changeField(form: HoldForm, change: (field: TypedText) => TypedText): HoldForm {
  const { at, texts, errors } = form
  const still = new Map(errors)
  still.delete(at)
  return { ...form, errors: still, texts: texts.map((field, index) => (index === at ? change(field) : field)) }
}

/** What the arrow keys choose from; the empty text leaves the field out. */
function choicesOf(field: FormField | undefined): readonly string[] {
  const listed = field?.kind === 'yes-no' ? ['yes', 'no'] : (field?.choices ?? [])
  return listed.length === 0 || field?.required ? listed : ['', ...listed]
}
