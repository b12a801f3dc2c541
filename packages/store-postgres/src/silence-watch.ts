/**
 * Finds connections to a server that is gone without a word: frozen, cut off, or replaced by another one. Such a connection
 * gets no error, and its statements would wait for their timeout.
 *
 * While an answer is overdue, the watch opens other connections. If the server that answers there is not the one of the silent
 * connection, another primary has taken its place, and the silent connection is broken off. The same happens if it is the same
 * server and it does not work for that connection: the network has forgotten it. A statement that is only slow waits on.
 */
export interface SilenceWatch {
  add(client: Watched): void
  remove(client: Watched): void
  close(): void
}

export interface Watched {
  /** Undefined until the server has introduced itself. */
  readonly server: string | undefined
  /** Its process on the server. Undefined behind a pooler. */
  readonly backend: number | undefined
  silentMs(now: number): number
  breakOff(why: string): void
}

/** A server that answers, and its processes that run a statement now. */
export interface Probed {
  readonly server: string
  readonly working: readonly number[]
}

/** A healthy server answers most statements in milliseconds. */
const SILENT_MS = 2000
const LOOK_EVERY_MS = 500
/** A probe may meet the silent server too, so others start before it has timed out. */
const MAX_PROBES = 4

/** `probe` resolves to the server that a new connection reaches. */
export function watchSilence(probe: () => Promise<Probed>): SilenceWatch {
  const clients = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  let probes = 0

  const silent = (): Watched[] => {
    const now = performance.now()
    return [...clients].filter((client) => client.silentMs(now) >= SILENT_MS)
  }
  const ask = async (): Promise<void> => {
    probes++
    try {
      const suspects = silent()
      const { server, working } = await probe()
      const stillSilent = new Set(silent())
      for (const client of suspects.filter((each) => stillSilent.has(each))) {
        const { backend } = client
        if (client.server !== server) client.breakOff('The server is silent, and another one answers in its place.')
        else if (backend !== undefined && !working.includes(backend)) client.breakOff('The connection is lost.')
      }
    } catch {
      // No server answers yet.
    } finally {
      probes--
    }
  }
  const look = (): void => {
    if (silent().length > 0 && probes < MAX_PROBES) void ask()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    add: (client) => {
      clients.add(client)
      timer ??= setInterval(look, LOOK_EVERY_MS).unref()
    },
    remove: (client) => {
      clients.delete(client)
      if (clients.size === 0) stop()
    },
    close: stop,
  }
}
