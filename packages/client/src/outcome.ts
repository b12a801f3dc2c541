/** The outcome of a handler, as it is sent over HTTP. */
import type { Json } from '@holdpoint/core'

export type Outcome = { readonly value: Json } | { readonly error: string }

/** The returned value as JSON (`undefined` becomes `null`), or the message of the thrown error. */
export async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    const text = JSON.stringify(await work()) as string | undefined
    return { value: JSON.parse(text ?? 'null') as Json }
  } catch (error) {
    return {
      error: (error instanceof Error ? error.message : String(error)) || 'The handler failed without a message.',
    }
  }
}
