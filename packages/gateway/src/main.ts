#!/usr/bin/env node
/**
 * The command: one process on a SQLite file, or any number of them on one PostgreSQL database, by one setting.
 * `holdpoint-gateway` takes everything from the environment; see docs/guide/gateway.md.
 */
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { holdpoint, HoldpointError, openStore, type Agent } from 'holdpoint'
import { agentsMadeHere, remembering, type Offer } from './agents-made-here.ts'
import type { LogLine } from './gateway-options.ts'
import { serve } from './serve.ts'
import { settingsOf } from './settings.ts'

const { store: place, app, ...settings } = settingsOf(process.env)
const { agents, offer } = await programOf(app)
const store = await openStore(place)
const secrets = new Set<string>()
const madeHere = agentsMadeHere(store, {
  ...offer,
  ...(offer.secrets && { secrets: remembering(offer.secrets, secrets) }),
})
const runtime = await holdpoint({ store, agents, agentFor: madeHere.agentFor })
const served = await serve({
  ...settings,
  runtime,
  store,
  agents,
  checkAgent: madeHere.check,
  secrets,
  log,
  firstKey: (key) => say(`The first key, shown this once:\n\n    ${key}\n`),
})
say(`Holdpoint listens on ${served.url}. Try it: ${served.url}/api/docs`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())

async function stop(): Promise<void> {
  await served.close()
  await store.close()
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
