/**
 * A thread that compiles untrusted schemas and validates values with them. It runs one job at a time, and reports when compiling
 * ends and validating begins. `schema-worker.ts` ends the thread when one of the two takes too long. It imports nothing of our other
 * packages, because it is started from the sources as well as from the build.
 */
import type { ValidateFunction } from 'ajv'
import { parentPort } from 'node:worker_threads'
import { ajvDraft07, ajvDraft201909, ajvDraft202012 } from '../load-later.ts'
import { explain } from './explain.ts'
import { validatorOf, type Draft } from './validator.ts'

export interface SchemaThreadJob {
  /** As JSON. It is also the key of the thread's cache. */
  readonly schema: string
  readonly draft: Draft
  /** As JSON. Without it, the schema is only compiled. */
  readonly value?: string
}

export interface SchemaThreadMessage {
  readonly at: 'ready' | 'compiled' | 'done'
  /** With `done`: what is wrong with the schema or the value. */
  readonly why?: string
  /** The processor time of the thread so far, in milliseconds. */
  readonly cpu: number
}

/** The size of the cache of compiled schemas, in characters of their JSON. The oldest are removed first. */
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
    // For example, the schema is only a reference to itself.
    return say({ at: 'done', why: `the schema threw an error: ${why(error)}` })
  }
})
// Loaded now, so that the loading time does not count for the first schema.
for (const load of [ajvDraft07, ajvDraft201909, ajvDraft202012]) load()
say({ at: 'ready' })
