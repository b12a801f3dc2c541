#!/usr/bin/env node
/**
 * The command: one process on a SQLite file, or any number of them on one PostgreSQL database, by one setting.
 * `holdpoint-gateway` takes everything from the environment; see docs/guide/gateway.md.
 */
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import { holdpoint, HoldpointError, openStore, type Agent } from 'holdpoint'
import { documentsOf, memoryDocuments } from './documents.ts'
import type { LogLine } from './gateway-options.ts'
import { serve } from './serve.ts'
import { settingsOf } from './settings.ts'

const { store: place, app, ...settings } = settingsOf(process.env)
const agents = await agentsOf(app)
const store = await openStore(place)
const runtime = await holdpoint({ store, agents })
const served = await serve({
  ...settings,
  runtime,
  store,
  agents,
  documents: documentsOf(store) ?? memoryDocuments(),
  log,
  firstKey: (key) => say(`The first key, shown this once:\n\n    ${key}\n`),
})
say(`Holdpoint listens on ${served.url}. Try it: ${served.url}/api/docs`)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())

async function stop(): Promise<void> {
  await served.close()
  await store.close()
}

/** The agents of a program are code, so they come from a module. */
async function agentsOf(file: string | undefined): Promise<readonly Agent[]> {
  if (file === undefined)
    throw new HoldpointError(
      'config-invalid',
      'Say where your agents are: HOLDPOINT_APP=./app.ts, which exports `agents`.',
    )
  const { agents: found } = (await import(pathToFileURL(resolve(file)).href)) as { readonly agents?: unknown }
  if (Array.isArray(found)) return found as readonly Agent[]
  throw new HoldpointError('config-invalid', `${file} must export \`agents\`, a list of them.`)
}

/** One line of JSON each, for whoever collects them. */
function log(line: LogLine): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
