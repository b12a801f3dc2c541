/** The input schemas of built-in tools: a JSON Schema for the model, and a function that reads what the model wrote. */
import { isObject, describeValue, type Json, type JsonObject } from '@holdpoint/core/internal/json'
import type { StandardSchema } from '@holdpoint/core/internal/tool/schema'

/** `read` throws an error with a message that the model can act on. */
export function toolInput<T>(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
  read: (given: InputReader) => T,
): StandardSchema<unknown, T> {
  const json = { type: 'object', properties, required, additionalProperties: false }
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      validate: (value) => {
        try {
          return { value: read(new InputReader(value, Object.keys(properties))) }
        } catch (error) {
          return { issues: [{ message: (error as Error).message }] }
        }
      },
      jsonSchema: { input: () => json },
    },
  }
}

/** An object from outside, read field by field. */
export class InputReader {
  readonly #fields: JsonObject
  readonly #where: string

  constructor(value: unknown, known: readonly string[], where = '') {
    if (!isObject(value)) throw new Error(`${where || 'the toolInput'} must be an object, not ${describeValue(value)}`)
    const odd = Object.keys(value).find((key) => !known.includes(key))
    if (odd !== undefined) throw new Error(`${where}there is no "${odd}" here, only ${known.join(', ')}`)
    this.#fields = value
    this.#where = where
  }

  text(key: string, longest: number): string {
    const value = this.#fields[key]
    if (typeof value === 'string' && value.trim() !== '' && value.length <= longest) return value
    throw new Error(`${this.#where}"${key}" must be text of 1 to ${longest} characters`)
  }

  maybeText(key: string, longest: number): string | undefined {
    return this.#has(key) ? this.text(key, longest) : undefined
  }

  maybeWhole(key: string, from: number, to: number): number | undefined {
    if (!this.#has(key)) return undefined
    const value = this.#fields[key]
    if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to) return value
    throw new Error(`${this.#where}"${key}" must be a whole number from ${from} to ${to}`)
  }

  maybe(key: string): Json | undefined {
    return this.#has(key) ? this.#fields[key] : undefined
  }

  list<T>(key: string, most: number, read: (value: Json, where: string) => T): readonly T[] {
    const value = this.#fields[key]
    if (!Array.isArray(value) || value.length === 0 || value.length > most)
      throw new Error(`${this.#where}"${key}" must be a list of 1 to ${most}`)
    return value.map((each: Json, index) => read(each, `${key}[${index}]: `))
  }

  /** Models write null for what they leave out. */
  #has(key: string): boolean {
    return this.#fields[key] !== undefined && this.#fields[key] !== null
  }
}
