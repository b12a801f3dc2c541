/** One process on a SQLite file, or any number of them on one PostgreSQL database, by one setting. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { holdpoint, HoldpointError, openStore, type Agent } from 'holdpoint'
import { agentsMadeHere, remembering, type Offer } from './agents-made-here.ts'
import type { LogLine } from './gateway-options.ts'
import { serve, type Served } from './serve.ts'
import { settingsOf } from './settings.ts'
import { siteOf } from './site/site.ts'

export interface Running {
  readonly served: Served
  stop(): Promise<void>
}

export async function run(env: Readonly<Record<string, string | undefined>>): Promise<Running> {
  const { store: place, app, ...settings } = settingsOf(env)
  const { agents, offer } = await programOf(app)
  const store = await openStore(place)
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
    checkAgent: madeHere.check,
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

/** Built into a folder of this package. A clone that was not built has none, and does without. */
function consoleFolder(): string | undefined {
  const folder = fileURLToPath(new URL('../console/', import.meta.url))
  return existsSync(join(folder, 'index.html')) ? folder : undefined
}

/** The agents of a program are code, and so are the models that agents made over HTTP may use: both come from a module. */
async function programOf(
  file: string | undefined,
): Promise<{ readonly agents: readonly Agent[]; readonly offer: Offer }> {
  if (file === undefined)
    throw new HoldpointError(
      'config-invalid',
      'Say where your agents are: HOLDPOINT_APP=./app.ts, which exports `agents`, and `models` for agents made over HTTP.',
    )
  const program = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly agents?: unknown
    readonly models?: Offer['models']
    readonly secrets?: Offer['secrets']
  }
  const { agents: found = [], models = {}, secrets } = program
  if (!Array.isArray(found))
    throw new HoldpointError('config-invalid', `${file} must export \`agents\`, a list of them.`)
  return { agents: found as readonly Agent[], offer: { models, ...(secrets && { secrets }) } }
}

/** One line of JSON each, for whoever collects them. */
function log(line: LogLine): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
