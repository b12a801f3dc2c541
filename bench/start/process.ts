/**
 * One fresh process of the `start` benchmark. It prints what each phase took: the import, opening the store (and listening),
 * the first turn, and the turns after it. Nothing is imported before the clock starts, except Node's own modules.
 */
import { join } from 'node:path'

export type Starter = 'library' | 'gateway' | 'aiSdk'

export interface Phase {
  readonly ms: number
  readonly cpuMs: number
}

export type Phases = Readonly<Record<'import' | 'open' | 'firstTurn' | 'turns', Phase>>

interface Opened {
  turn(nth: number): Promise<unknown>
  close(): Promise<unknown>
}

/** Imports the code, and returns a function that opens the store. */
const starters: Readonly<Record<Starter, (folder: string) => Promise<() => Promise<Opened>>>> = {
  library: async (folder) => {
    const { holdpoint } = await import('holdpoint')
    const { freeAgent } = await import('../storage/free-agent.ts')
    return async () => {
      const agents = [freeAgent({ calls: 1, approval: false })]
      const runtime = await holdpoint({ store: join(folder, 'ours.db'), agents })
      return { turn: (nth) => runtime.send(`c${nth % 20}`, 'Where is order 7?'), close: () => runtime.close() }
    }
  },
  gateway: async (folder) => {
    const [{ holdpoint, openStore }, { serve }] = await Promise.all([import('holdpoint'), import('@holdpoint/gateway')])
    const { freeAgent } = await import('../storage/free-agent.ts')
    return async () => {
      const agents = [freeAgent({ calls: 1, approval: false })]
      const store = await openStore(join(folder, 'gateway.db'))
      const runtime = await holdpoint({ store, agents })
      const key = 'the-key-of-the-benchmark-long-enough'
      const unlimited = { perSecond: 1e9, burst: 1e9 }
      const limits = { rate: unlimited, tenantRate: unlimited }
      const served = await serve({ runtime, store, agents, limits, auth: { keys: [{ key, scopes: ['admin'] }] } })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ content: 'Where is order 7?' })
      return {
        turn: async (nth) => {
          const url = `${served.url}/api/conversations/c${nth % 20}/messages?wait=10`
          const response = await fetch(url, { method: 'POST', headers, body })
          if (!response.ok) throw new Error(await response.text())
          return response.json()
        },
        close: async () => {
          await served.close()
          await store.close()
        },
      }
    }
  },
  aiSdk: async (folder) => {
    const { isStepCount, streamText, tool } = await import('ai')
    const { rawSqlite } = await import('../storage/raw-sqlite.ts')
    const { scriptedLanguageModel } = await import('../scripted-language-model.ts')
    const { z } = await import('zod')
    return async () => {
      const db = rawSqlite(join(folder, 'ai-sdk.db'))
      const look = tool({ description: 'Looks up', inputSchema: z.object({ query: z.string() }), execute: () => ({}) })
      const model = scriptedLanguageModel(1)
      const written = new Map<string, number>()
      return {
        turn: async (nth) => {
          const id = `c${nth % 20}`
          const seq = written.get(id) ?? 0
          written.set(id, seq + 2)
          void db.append(id, seq, [{ kind: 'user', payload: { text: 'Where is order 7?' } }])
          const result = streamText({ model, prompt: 'Where is order 7?', tools: { look }, stopWhen: isStepCount(2) })
          void db.append(id, seq + 1, [{ kind: 'text', payload: { text: await result.text } }])
        },
        close: () => db.close(),
      }
    }
  },
}

const TURNS = 1000

async function phase<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly took: Phase }> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  const value = await work()
  const { user, system } = process.cpuUsage(cpu)
  return { value, took: { ms: performance.now() - start, cpuMs: (user + system) / 1000 } }
}

if (process.send) {
  const [starter = '', folder = ''] = process.argv.slice(2)
  const imported = await phase(() => starters[starter as Starter](folder))
  const opened = await phase(imported.value)
  const first = await phase(() => opened.value.turn(0))
  const turns = await phase(async () => {
    for (let nth = 1; nth <= TURNS; nth++) await opened.value.turn(nth)
  })
  const each = { ms: turns.took.ms / TURNS, cpuMs: turns.took.cpuMs / TURNS }
  process.send({ import: imported.took, open: opened.took, firstTurn: first.took, turns: each } satisfies Phases)
  await opened.value.close()
  process.disconnect()
}
