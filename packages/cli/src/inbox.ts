/** `holdpoint inbox`: the holds of a person on the whole screen, with the keys of the console. */
import type { Client, HoldsFilter } from '@holdpoint/client'
import type { Instance } from 'ink'
import type { Command } from './command.ts'
import type { InboxScreenProps } from './inbox/inbox-screen.ts'
import { InboxState } from './inbox/inbox-state.ts'
import { EXIT, UsageError, type ExitCode, type Io } from './io.ts'
import { actor, named, withPlace } from './with-place.ts'

const MOST_HOLDS = 200

export async function inbox(command: Command): Promise<ExitCode> {
  const { args, io, out, options } = command
  named(args)
  if (out.json) throw new UsageError('The inbox is for people. `holdpoint holds --json` lists holds as JSON.')
  if (!io.stdin.isTTY || !io.stdout.isTTY || io.env['TERM'] === 'dumb')
    throw new UsageError('The inbox needs a terminal. `holdpoint holds` lists holds without one.')
  return withPlace(command, async (client, where) => {
    const { agent, tool } = options
    const filter = { mine: true, limit: MOST_HOLDS, ...actor(options) } as const
    // A key that is wrong is reported before the screen changes.
    const query = { ...filter, ...(agent !== undefined && { agent }), ...(tool !== undefined && { tool }) }
    await client.holds.list(query, { signal: io.signal })
    await showInbox(client, query, { where, io, as: actor(options), colours: out.colours })
    return EXIT.ok
  })
}

interface Showing {
  readonly where: string
  readonly io: Io
  readonly as: { readonly by?: string }
  readonly colours: boolean
}

/** Returns when the person leaves, or a signal comes. The terminal is then as it was before. */
async function showInbox(client: Client, query: HoldsFilter, { where, io, as, colours }: Showing): Promise<void> {
  const listeners = new Set<() => void>()
  let version = 0
  const left = Promise.withResolvers<void>()
  const list = client.watch((signal) => client.holds.list(query, { signal }))
  const state = new InboxState({
    decide: async (hold, resolution) => {
      const { conversationId, callId, nth } = hold
      const result = await client.holds.resolve(conversationId, callId, resolution, { hold: nth, ...as })
      list.refresh()
      return result
    },
    leave: () => left.resolve(),
    onChange: () => {
      version += 1
      for (const listener of listeners) listener()
    },
  })
  const props: InboxScreenProps = {
    state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    version: () => version,
    where,
    colours,
  }
  const stop = list.subscribe(() => {
    const { value, error } = list.state
    if (value) state.show(value.items, value.next !== undefined, error?.message)
  })
  const screen = await paint(props, io)
  const leave = (): void => {
    // In the handler of the signal: libraries that end the process on a signal come later.
    screen.unmount()
    left.resolve()
  }
  io.signal.addEventListener('abort', leave, { once: true })
  try {
    if (!io.signal.aborted) await left.promise
  } finally {
    stop()
    io.signal.removeEventListener('abort', leave)
    screen.unmount()
    await screen.waitUntilExit()
  }
}

/** Ink is loaded only here: every other command starts without it. */
async function paint(props: InboxScreenProps, io: Io): Promise<Instance> {
  const [{ render }, { createElement }, { InboxScreen }] = await Promise.all([
    import('ink'),
    import('react'),
    import('./inbox/inbox-screen.ts'),
  ])
  return render(createElement(InboxScreen, props), {
    stdin: io.stdin as unknown as NodeJS.ReadStream,
    stdout: io.stdout as unknown as NodeJS.WriteStream,
    stderr: io.stderr as unknown as NodeJS.WriteStream,
    alternateScreen: true,
    interactive: true,
    // Ctrl+C is a key like the others, so that the inbox ends in one way.
    exitOnCtrlC: false,
    patchConsole: false,
  })
}
