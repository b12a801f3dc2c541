/**
 * A thread that compiles schemas of strangers and checks values with them. It does one thing at a time and says when it
 * goes on from compiling to checking. `schema-checks.ts` ends the thread when one of the two takes too long.
 * It imports nothing of our other packages: it is started from the sources as well as from the build.
 */
import type { ValidateFunction } from 'ajv'
import { parentPort } from 'node:worker_threads'
import { ajvDraft07, ajvDraft201909, ajvDraft202012 } from '../load-later.ts'
import { explain } from './explain.ts'
import { validatorOf, type Draft } from './validator.ts'

export interface SchemaThreadJob {
  /** As JSON. It is also the name under which the thread keeps what it compiled. */
  readonly schema: string
  readonly draft: Draft
  /** As JSON; without it the schema is only compiled. */
  readonly value?: string
}

export interface SchemaThreadMessage {
  readonly at: 'ready' | 'compiled' | 'done'
  /** With `done`: what is wrong with the schema, or with the value. */
  readonly why?: string
  /** How much processor time the thread has used so far, in milliseconds. */
  readonly cpu: number
}

/** Compiled schemas that are kept, counted by the characters they were compiled from. The oldest go first. */
const MOST_KEPT_CHARS = 2_000_000

const kept = new Map<string, ValidateFunction>()
let chars = 0

function validatorFor({ schema, draft }: SchemaThreadJob): ValidateFunction {
  const name = `${draft} ${schema}`
  const known = kept.get(name)
  if (known) {
    kept.delete(name)
    kept.set(name, known)
    return known
  }
  const made = validatorOf(JSON.parse(schema) as object, draft)
  kept.set(name, made)
  chars += name.length
  for (const [oldest] of kept) {
    if (chars <= MOST_KEPT_CHARS) break
    kept.delete(oldest)
    chars -= oldest.length
  }
  return made
}

function say(said: Omit<SchemaThreadMessage, 'cpu'>): void {
  const { user, system } = process.threadCpuUsage()
  parentPort?.postMessage({ ...said, cpu: (user + system) / 1000 } satisfies SchemaThreadMessage)
}

parentPort?.on('message', (job: SchemaThreadJob) => {
  const why = (error: unknown): string => (error instanceof Error ? error.message : 'no reason was given')
  let validate: ValidateFunction
  try {
    validate = validatorFor(job)
  } catch (error) {
    return say({ at: 'done', why: why(error) })
  }
  if (job.value === undefined) return say({ at: 'done' })
  say({ at: 'compiled' })
  try {
    const fits = validate(JSON.parse(job.value))
    return say({ at: 'done', ...(!fits && { why: explain(validate.errors) }) })
  } catch (error) {
    // Such as a schema that is nothing but a reference to itself.
    return say({ at: 'done', why: `the schema itself failed: ${why(error)}` })
  }
})
// Loaded now, so that the time it takes does not count for the first schema.
for (const load of [ajvDraft07, ajvDraft201909, ajvDraft202012]) load()
say({ at: 'ready' })
