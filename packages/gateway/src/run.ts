/** One process on a SQLite file, or any number of them on one PostgreSQL database, by one setting. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { holdpoint, HoldpointError, openStore } from 'holdpoint'
import { agentsMadeHere, remembering } from './agents-made-here.ts'
import type { LogLine } from './gateway-options.ts'
import { programOf } from './program.ts'
import { serve, type Served } from './serve.ts'
import { settingsOf } from './settings.ts'
import { siteOf } from './site/site.ts'

export interface Running {
  readonly served: Served
  stop(): Promise<void>
}

export async function run(env: Readonly<Record<string, string | undefined>>): Promise<Running> {
  const { store: place, app, ...settings } = settingsOf(env)
  const program = await programOf(app)
  const store = await openStore(place)
  const { agents, offer, mcp } = await program(store).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const secrets = new Set<string>()
  const madeHere = agentsMadeHere(store, {
    ...offer,
    ...(offer.secrets && { secrets: remembering(offer.secrets, secrets) }),
  })
  // A file has one process as a rule: whoever starts it again after a kill should not wait long for the one that died.
  const lease = /^postgres(?:ql)?:/.test(place) ? {} : { leaseMs: 5000 }
  const runtime = await holdpoint({ store, agents, agentFor: madeHere.agentFor, ...lease })
  const pages = consoleFolder()
  const served = await serve({
    ...settings,
    ...(pages !== undefined && { site: siteOf(pages) }),
    runtime,
    store,
    agents,
    readAgent: madeHere.read,
    mcp,
    secrets,
    log,
    firstKey: (key) => say(`The first key, shown this once:\n\n    ${key}\n`),
  })
  say(`Holdpoint listens on ${served.url}. Try it: ${served.url}${pages === undefined ? '/api/docs' : ''}`)
  return {
    served,
    stop: async () => {
      await served.close()
      await store.close()
    },
  }
}

/** The same for a command: what is wrong with its settings is said in a line, and not as a trace of its insides. */
export async function runCommand(env: Readonly<Record<string, string | undefined>>): Promise<Running> {
  return run(env).catch((error: unknown) => {
    if (!HoldpointError.is(error)) throw error
    process.stderr.write(`holdpoint: ${error.message}\n`)
    process.exit(1)
  })
}

/** Built into a folder of this package. A clone that was not built has none, and does without. */
function consoleFolder(): string | undefined {
  const folder = fileURLToPath(new URL('../console/', import.meta.url))
  return existsSync(join(folder, 'index.html')) ? folder : undefined
}

/** One line of JSON each, for whoever collects them. */
function log(line: LogLine): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
