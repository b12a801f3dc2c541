/** Checks the option `askedBy`: the authors that a tool's handler passes on. A name that is lost here could approve later. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Author } from '@holdpoint/core/internal/log/message'
import { isAuthors } from '../log/event-shape.ts'

export function checkAuthors(askedBy: unknown): readonly Author[] {
  if (askedBy === undefined) return []
  if (isAuthors(askedBy)) return askedBy as readonly Author[]
  throw new HoldpointError('config-invalid', '"askedBy" must be the `askedBy` of the context of a tool\'s handler.')
}
