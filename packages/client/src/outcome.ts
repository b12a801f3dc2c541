/** What a handler came to, as it is told over HTTP. */
import type { Json } from '@holdpoint/core'

export type Outcome = { readonly value: Json } | { readonly error: string }

/** What it returned as JSON, or what it threw in words. Nothing at all is `null`. */
export async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    const text = JSON.stringify(await work()) as string | undefined
    return { value: JSON.parse(text ?? 'null') as Json }
  } catch (error) {
    return { error: (error instanceof Error ? error.message : String(error)) || 'It failed, and did not say why.' }
  }
}
