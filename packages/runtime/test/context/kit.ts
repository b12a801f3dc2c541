/** What the tests of the context share: tools with results of a known size, and a look at what a prompt says of them. */
import type { Json } from '@holdpoint/core'
import { memoryStore, type Script, type ScriptedModel } from '@holdpoint/testing'
import { tool, type AgentOptions, type LogEvent, type ModelRequest, type Store } from 'holdpoint'
import { z } from 'zod'
import type { Retention } from '@holdpoint/core/internal/tool/tool-options'
import { isObject } from '@holdpoint/core/internal/json'
import { call, desk, live, say, type Desk } from '../../../../test/kit/session-kit.ts'
import type { TurnResult } from '../../src/session/result.ts'

/** Reads something: as many letters as it is told to. */
export function reader(name: string, retention?: Retention) {
  return tool({
    name,
    description: 'Reads',
    input: z.object({ page: z.string(), size: z.number() }),
    ...(retention && { retention }),
    run: ({ input }) => `${input.page} ${'x'.repeat(input.size)}`,
  })
}

/** A turn in which something is read, and said. */
export function reads(page: string, { name = 'read', size = 0 } = {}): readonly Script[] {
  return [{ calls: [call(name, { page, size })] }, `Read ${page}.`]
}

/** One token for each letter of JSON: sums can be done by hand. */
export const letters = (what: unknown): number => (typeof what === 'string' ? what : JSON.stringify(what)).length

export interface Told extends Desk {
  readonly results: readonly TurnResult[]
  readonly store: Store
}

/** One turn for each script, in one process or in one for each. */
export async function talk(
  turns: readonly (readonly Script[])[],
  options: Partial<AgentOptions> & { readonly reload?: boolean } = {},
  store: Store = memoryStore({ now: () => 0 }),
): Promise<Told> {
  const { reload = false, ...rest } = options
  const all = desk(turns.flat(), rest)
  let conversation = await live(all.agent, store)
  const results: TurnResult[] = []
  for (const [nth] of turns.entries()) {
    if (reload) conversation = await live(all.agent, store)
    results.push(await say(conversation, `Message ${nth}`))
  }
  return { ...all, results, store }
}

/** What the newest prompt says of each result: the page, or that it was left out. */
export function shownPages(model: ScriptedModel, nth = -1): readonly string[] {
  return pagesIn(model.requests.at(nth))
}

export function pagesIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.prompt ?? []).flatMap((message) =>
    message.role === 'tool' ? message.results.map(({ content }) => pageOf(content)) : [],
  )
}

function pageOf(content: Json): string {
  if (!isObject(content)) return '?'
  if (typeof content['leftOut'] === 'string') return '-'
  return typeof content['result'] === 'string' ? content['result'].split(' ')[0]! : JSON.stringify(content)
}

/** What the users said, of those that are shown. */
export function shownMessages({ requests }: ScriptedModel, nth = -1): readonly string[] {
  return (requests.at(nth)?.prompt ?? []).flatMap((message) =>
    message.role === 'user' ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  )
}

export function eventsOf(store: Store): Promise<readonly LogEvent[]> {
  return store.read({ tenant: '', id: 'c' }, 0)
}
