/** Continues a turn that stopped early, and waits until it has started and no longer. */
import type { TurnResult } from '@holdpoint/runtime'
import type { Principal } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'

export async function restartTurn(
  runtime: Pick<Runtime, 'continue' | 'subscribe'>,
  id: string,
  after: number,
  by: Principal,
): Promise<{ readonly refused?: string }> {
  const stop = new AbortController()
  const started = async (): Promise<undefined> => {
    for await (const item of runtime.subscribe(id, { after, signal: stop.signal }))
      if ('seq' in item && item.type === 'turn.started') return
  }
  const refused = (result: TurnResult): string | undefined =>
    result.status === 'refused' ? (result.message ?? 'There is nothing to continue.') : undefined
  try {
    const why = await Promise.race([runtime.continue(id, { by }).then(refused), started()])
    return why === undefined ? {} : { refused: why }
  } finally {
    stop.abort()
  }
}
