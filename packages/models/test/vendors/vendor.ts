/** A vendor's wire format for the suite in `every-vendor.test.ts`: how to write answers and read requests. */
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
  /** The start of a reply that continues after `piece`. */
  begins(piece: string): string
  /** The vendor's message for an error during a reply. */
  readonly fails: string
  /** How an incomplete reply ends: as interrupted, or with an error. */
  readonly afterSilence: { reason: 'interrupted' } | { retryable: true }
  /** The body of an HTTP error. */
  refuses(message: string): string

  /** The content of a request's body. */
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
