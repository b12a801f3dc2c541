/** What the suite in `every-vendor.test.ts` needs to know about a wire format: how to speak it, and how to read it. */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { JsonObject } from '@holdpoint/core'

export interface WireCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export interface Vendor {
  readonly name: string
  /** The real provider package, pointed at our server. */
  model(url: string): LanguageModelV4
  readonly id: string

  /** Whole replies, as the vendor streams them. */
  says(...pieces: string[]): string
  calls(...calls: WireCall[]): string
  /** The beginning of a reply that goes on after `piece`. */
  begins(piece: string): string
  /** What the vendor sends when it fails in the middle of a reply. */
  readonly fails: string
  /** How a reply ends that just stops: as interrupted, or with an error. */
  readonly afterSilence: { reason: 'interrupted' } | { retryable: true }
  /** The body of an HTTP error. */
  refuses(message: string): string

  /** What the vendor would understand from a request's body. */
  readTools(body: unknown): { name: string; schema: unknown }[]
  readCalls(body: unknown): WireCall[]
  readResults(body: unknown): { id: string; content: unknown }[]
  readOutputSchema(body: unknown): unknown
  /** Base64 of the image in the last user message. */
  readImage(body: unknown): string | undefined
}

/** Arguments arrive in pieces from vendors that stream them. */
export function inPieces(input: JsonObject): string[] {
  const text = JSON.stringify(input)
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
