/**
 * Compiles schemas of untrusted authors, and validates with them, in other threads. A schema that takes long to compile, or a
 * `pattern` that never ends, must not delay other tenants. Each job has a limit of processor time. A thread that exceeds it is ended
 * and replaced. Tenants take turns, with one thread at a time each.
 */
import type { Checked, CompileJsonSchema, JsonObject } from '@holdpoint/core'
import { inspectSchema, type InspectedSchema } from './inspect-schema.ts'
import type { SchemaThreadJob } from './schema-thread.ts'
import { SchemaWorker, type CheckResult, type Budget } from './schema-worker.ts'
import { readValue } from './value.ts'

export interface SchemaChecks {
  /** For the schemas of one tenant. The size of a schema is checked at once. It is compiled with the first value. */
  compileFor(tenant: string): CompileJsonSchema
  /** Compiles a schema. Returns what is wrong with it, or undefined. Throws if it is too large. */
  whyNot(tenant: string, schema: JsonObject): Promise<string | undefined>
}

export interface SchemaChecksOptions extends Partial<Budget> {
  /** At least 2, so that a tenant that keeps one busy leaves one for the others. */
  readonly threads?: number
}

const BUDGET: Budget = { compileMs: 2000, checkMs: 500 }
const MOST_WAITING = 200

interface Waiting {
  readonly job: SchemaThreadJob
  readonly answer: (answer: CheckResult) => void
}

export function schemaChecks({ threads = 2, ...budget }: SchemaChecksOptions = {}): SchemaChecks {
  const turns = new Turns(Math.max(2, threads), { ...BUDGET, ...budget })
  return {
    compileFor: (tenant) => (source) => {
      const job = jobOf(inspectSchema(source))
      return async (given): Promise<Checked> => {
        const read = readValue(given)
        if (!read.ok) return read
        const why = await turns.take(tenant, { ...job, value: read.text })
        return why === undefined ? { ok: true, value: read.value } : { ok: false, why }
      }
    },
    whyNot: async (tenant, schema) => turns.take(tenant, jobOf(inspectSchema(schema))),
  }
}

function jobOf({ schema, draft }: InspectedSchema): SchemaThreadJob {
  return { schema: JSON.stringify(schema), draft }
}

class Turns {
  readonly #most: number
  readonly #budget: Budget
  /** By tenant. The tenant whose turn is next is first. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** Tenants that have a thread now. */
  readonly #served = new Set<string>()
  /** The thread that was used last is first: it has compiled the most frequent schemas. */
  #idle: readonly SchemaWorker[] = []

  constructor(most: number, budget: Budget) {
    this.#most = most
    this.#budget = budget
  }

  take(tenant: string, job: SchemaThreadJob): Promise<CheckResult> {
    const line = this.#waiting.get(tenant) ?? []
    if (line.length >= MOST_WAITING)
      return Promise.resolve(`it could not be checked: ${MOST_WAITING} other checks are waiting. Try again later.`)
    this.#waiting.set(tenant, line)
    return new Promise((answer) => {
      line.push({ job, answer })
      this.#serve()
    })
  }

  #serve(): void {
    for (const [tenant, line] of this.#waiting) {
      if (this.#served.size >= this.#most) return
      if (this.#served.has(tenant)) continue
      const [next, ...rest] = line
      this.#waiting.delete(tenant)
      if (!next) continue
      // The tenant goes to the end of the queue.
      if (rest.length > 0) this.#waiting.set(tenant, rest)
      this.#served.add(tenant)
      void this.#work(tenant, next)
    }
  }

  async #work(tenant: string, { job, answer }: Waiting): Promise<void> {
    const [worker = new SchemaWorker(this.#budget), ...others] = this.#idle.filter(({ gone }) => !gone)
    this.#idle = others
    const said = await worker.run(job)
    if (!worker.gone) this.#idle = [worker, ...this.#idle]
    this.#served.delete(tenant)
    answer(said)
    this.#serve()
  }
}
