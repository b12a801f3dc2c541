/**
 * Starts a gateway from environment settings: one process on a SQLite file, or any number on one PostgreSQL database.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Channels } from '@holdpoint/channels'
import { messageWithCauses } from '@holdpoint/core'
import { holdpoint, openStore } from 'holdpoint'
import { storedAgents, rememberSecrets } from './stored-agents.ts'
import type { LogLine } from './gateway-options.ts'
import type { gatewayTelemetry } from './gateway-telemetry.ts'
import { loadProgram } from './load-program.ts'
import { redactor } from './redact.ts'
import { exitWithMessage } from './exit-with-message.ts'
import { serve, type Served } from './serve.ts'
import { storedPrincipal } from './stored-principal.ts'
import { settingsFromEnv } from './settings.ts'
import { siteFromFolder } from './site/site.ts'

export interface RunningGateway {
  readonly served: Served
  stop(): Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

export interface StartGatewayOptions {
  /** For the demo agents: the console offers a tour. */
  readonly tour?: boolean
}

export async function startGateway(env: Env, { tour = false }: StartGatewayOptions = {}): Promise<RunningGateway> {
  const {
    store: location,
    listenUrl,
    app,
    limits: { planEveryMs, ...limits } = {},
    telemetry,
    ...settings
  } = settingsFromEnv(env)
  const program = await loadProgram(app)
  const store = await openStore(location, listenUrl === undefined ? {} : { listenUrl })
  const {
    agents,
    storedAgentsOptions,
    mcp,
    channels: channelOptions,
    runtime: runtimeOptions,
  } = await program(store).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const secrets = new Set<string>()
  const stored = storedAgents(store, {
    ...(limits.maxSteps !== undefined && { maxSteps: limits.maxSteps }),
    ...storedAgentsOptions,
    ...(storedAgentsOptions.secrets && { secrets: rememberSecrets(storedAgentsOptions.secrets, secrets) }),
  })
  // A SQLite file usually has one process. A short lease lets its restart take over soon after a kill.
  const lease = /^postgres(?:ql)?:/.test(location) ? {} : { leaseMs: 5000 }
  const redact = redactor(secrets)
  const onProblem = (error: unknown): void => log({ level: 'error', message: redact(messageWithCauses(error)) })
  const watching = telemetry && (await telemetryOf(telemetry, store, { redact, onProblem }))
  const runtime = await holdpoint({
    rules: true,
    ...runtimeOptions,
    ...(watching && { observer: watching.observer }),
    store: watching?.store ?? store,
    agents,
    agentFor: stored.agentFor,
    ...(channelOptions && { news: true }),
    ...lease,
    ...(planEveryMs !== undefined && { planEveryMs }),
    onProblem: ({ error, conversation }) =>
      log({
        level: 'error',
        message: redact(messageWithCauses(error)),
        ...(conversation && { tenant: conversation.tenant, conversationId: conversation.id }),
      }),
  })
  const channels =
    channelOptions &&
    Channels.open({
      ...channelOptions,
      runtime,
      store,
      principal: storedPrincipal(store),
      onProblem: (error) => log({ level: 'error', message: redact(messageWithCauses(error)) }),
    })
  const pages = consoleFolder()
  const served = await serve({
    ...settings,
    limits,
    ...(pages !== undefined && { site: siteFromFolder(pages, tour ? withTour : undefined) }),
    runtime,
    store,
    agents,
    storedAgents: stored,
    mcp,
    ...(channels && { channels }),
    secrets,
    log,
    ...(runtimeOptions.onQuotaReached && { onQuotaReached: runtimeOptions.onQuotaReached }),
    firstKey: (key) => print(`The first key, shown only once:\n\n    ${key}\n`),
  })
  watching?.showStreams(() => served.gateway.openStreams)
  void watching?.resume().catch(onProblem)
  const page = pages === undefined ? `${served.url}/api/docs` : (served.consoleUrl ?? served.url)
  const warning = page === served.consoleUrl ? '\nThis URL signs in one browser, once. Do not share it.' : ''
  print(`Holdpoint listens on ${served.url}. Try it: ${page}${warning}`)
  return {
    served,
    stop: async () => {
      await channels?.close()
      await served.close()
      await watching?.stop().catch(onProblem)
      await store.close()
    },
  }
}

/** Loaded only when it is switched on. */
async function telemetryOf(
  ...given: Parameters<typeof gatewayTelemetry>
): Promise<Awaited<ReturnType<typeof gatewayTelemetry>>> {
  const { gatewayTelemetry: start } = await import('./gateway-telemetry.ts')
  return start(...given)
}

/** For commands: prints a configuration error as one line and exits. */
export async function startGatewayCommand(env: Env, options?: StartGatewayOptions): Promise<RunningGateway> {
  return startGateway(env, options).catch(exitWithMessage)
}

/** The console shows the tour when this attribute is set. */
function withTour(html: string): string {
  return html.replace('<html', '<html data-tour')
}

/** The built console in this package; undefined in a clone that was not built. */
function consoleFolder(): string | undefined {
  const folder = fileURLToPath(new URL('../console/', import.meta.url))
  return existsSync(join(folder, 'index.html')) ? folder : undefined
}

/** Writes one line of JSON to stderr. */
function log(line: LogLine): void {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
