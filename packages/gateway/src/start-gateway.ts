/**
 * Starts a gateway from environment settings: one process on a SQLite file, or any number on one PostgreSQL database.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Channels } from '@holdpoint/channels'
import type { Observer, QuotaReached, RuntimeEvents } from '@holdpoint/runtime'
import {
  holdpoint,
  openCells,
  openStore,
  readCellsConfig,
  signingKey,
  signingKeyBeside,
  type Signer,
  type Store,
} from 'holdpoint'
import { configuredSecrets } from './auth/configured-secrets.ts'
import { storedAgents, rememberSecrets } from './stored-agents.ts'
import { failedTurns } from './failed-turns.ts'
import type { gatewayTelemetry } from './gateway-telemetry.ts'
import { loadProgram } from './load-program.ts'
import { operatorLog } from './operator-log.ts'
import { problemLine } from './problem-line.ts'
import { rememberingProblems } from './recent-problems.ts'
import { redactor } from './redact.ts'
import { exitWithMessage } from './exit-with-message.ts'
import { serve, type Served } from './serve.ts'
import { storedPrincipal } from './stored-principal.ts'
import { settingsFromEnv, type Settings } from './settings.ts'
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
  const given = settingsFromEnv(env)
  const { store: location, listenUrl: _url, nats: _nats, cells, app, limits = {}, telemetry, ...others } = given
  const { signingKey: _key, ...settings } = others
  const { planEveryMs, ...gatewayLimits } = limits
  const program = await loadProgram(app)
  const secrets = new Set(configuredSecrets(given.auth ?? {}))
  const redact = redactor(secrets)
  const log = rememberingProblems(operatorLog(), Date.now)
  const onProblem = (error: unknown): void => log(problemLine(error, redact))
  const signer = signerOf(given, secrets)
  const store = await storeOf(given, onProblem)
  const {
    agents,
    storedAgentsOptions,
    mcp,
    channels: channelOptions,
    on: callbacks = {},
    prices,
    runtime: runtimeOptions,
  } = await program(store).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const stored = storedAgents(store, {
    ...(limits.maxSteps !== undefined && { maxSteps: limits.maxSteps }),
    ...storedAgentsOptions,
    ...(storedAgentsOptions.secrets && { secrets: rememberSecrets(storedAgentsOptions.secrets, secrets) }),
  })
  // A SQLite file usually has one process. A short lease lets its restart take over soon after a kill.
  const lease = cells !== undefined || /^postgres(?:ql)?:/.test(location) ? {} : { leaseMs: 5000 }
  const turns = failedTurns((line) => log({ ...line, message: redact(line.message) }))
  const watching = telemetry && (await telemetryOf(telemetry, store, { redact, onProblem, prices }))
  const onQuotaReached = bothAreTold(watching?.quotaReached, runtimeOptions.onQuotaReached)
  const runtime = await holdpoint({
    rules: true,
    ...runtimeOptions,
    onQuotaReached,
    observer: watching ? both(turns, watching.observer) : turns,
    store: watching?.store ?? store,
    agents,
    agentFor: stored.agentFor,
    ...(channelOptions && { news: true }),
    ...(signer && { signing: { key: signer } }),
    ...lease,
    ...(planEveryMs !== undefined && { planEveryMs }),
    onProblem: ({ error, conversation }) => log(problemLine(error, redact, conversation)),
  })
  for (const [name, call] of Object.entries(callbacks)) runtime.on(name as keyof RuntimeEvents, call as () => void)
  const principal = storedPrincipal(store)
  const channels = channelOptions && Channels.open({ ...channelOptions, runtime, store, principal, onProblem })
  const pages = consoleFolder()
  const served = await serve({
    ...settings,
    limits: gatewayLimits,
    ...(pages !== undefined && { site: siteFromFolder(pages, tour ? withTour : undefined) }),
    runtime,
    store,
    agents,
    storedAgents: stored,
    mcp,
    ...(channels && { channels }),
    ...(signer && { signingKey: signer }),
    ...(prices && { prices }),
    secrets,
    log,
    onQuotaReached,
    firstKey: (key) => print(`The first key, shown only once:\n\n    ${key}\n`),
  })
  watching?.showStreams(() => served.gateway.openStreams)
  void watching?.resume().catch(onProblem)
  printAddress(served, pages !== undefined)
  return {
    served,
    stop: async () => {
      await channels?.close()
      await served.close()
      await stopWatching(watching, store, onProblem)
    },
  }
}

/** Beside a SQLite file, a key is made on first use. Processes on a database share one that the operator gives them. */
function signerOf({ store, cells, signingKey: given }: Settings, secrets: Set<string>): Signer | undefined {
  if (given?.includes('-----BEGIN')) {
    secrets.add(given)
    return signingKey({ pem: given })
  }
  if (given !== undefined) return signingKey({ file: given })
  const isFile = cells === undefined && !/^[a-z][a-z0-9+.-]+:/i.test(store)
  return isFile ? signingKey({ file: signingKeyBeside(store) }) : undefined
}

async function stopWatching(
  watching: Awaited<ReturnType<typeof gatewayTelemetry>> | undefined,
  store: Store,
  onProblem: (error: unknown) => void,
): Promise<void> {
  await watching?.stop().catch(onProblem)
  await store.close()
}

function printAddress({ url, consoleUrl }: Served, hasPages: boolean): void {
  const page = hasPages ? (consoleUrl ?? url) : `${url}/api/docs`
  const warning = page === consoleUrl ? '\nThis URL signs in one browser, once. Do not share it.' : ''
  print(`Holdpoint listens on ${url}. Try it: ${page}${warning}`)
}

/** Loaded only when it is switched on. */
async function telemetryOf(
  ...given: Parameters<typeof gatewayTelemetry>
): Promise<Awaited<ReturnType<typeof gatewayTelemetry>>> {
  const { gatewayTelemetry: start } = await import('./gateway-telemetry.ts')
  return start(...given)
}

type OnQuotaReached = (reached: QuotaReached) => void

function bothAreTold(...callbacks: readonly (OnQuotaReached | undefined)[]): OnQuotaReached {
  return (reached) => callbacks.forEach((call) => call?.(reached))
}

function both(first: Observer, second: Observer): Observer {
  return {
    ...second,
    wrote: (address, events) => {
      first.wrote(address, events)
      second.wrote(address, events)
    },
  }
}

async function storeOf(settings: Settings, onProblem: (error: unknown) => void): Promise<Store> {
  const { store, listenUrl, nats, cells } = settings
  if (cells !== undefined) return (await openCells(await readCellsConfig(cells), { onProblem })).store
  const onWarning = (message: string, cause?: unknown): void => onProblem(new Error(message, { cause }))
  return openStore(store, { onWarning, ...(listenUrl !== undefined && { listenUrl }), ...(nats && { nats }) })
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

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
