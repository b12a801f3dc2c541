/**
 * The turns and the open holds of a view, for screens. Results are cached by the objects that they are made of: a second call
 * costs nothing, and what did not change is the same object as before.
 */
import type { View, ViewCall, ViewHold, ViewLive, ViewStep, ViewTurn } from './view-shape.ts'

/** Every hold that can be resolved now: async ones of any turn first, then those of the newest step. */
export function holdsOf({ turns, waiting }: View): readonly ViewHold[] {
  return rememberBoth(holds, turns, waiting, () => {
    const round = turns.at(-1)?.steps.at(-1)?.calls ?? []
    return [...waiting, ...round.flatMap((call) => (call.state === 'held' ? [call.hold] : []))]
  })
}

/** The turns, with the live parts added: the step that is being written, and the progress of open calls. */
export function turnsOf({ turns, live }: View): readonly ViewTurn[] {
  const last = turns.at(-1)
  if (!last || (!live.reply && live.progress.length === 0)) return turns
  return rememberBoth(liveTurns, turns, live, () => turns.with(-1, withLive(last, live)))
}

const holds = new WeakMap<readonly ViewTurn[], WeakMap<readonly ViewHold[], readonly ViewHold[]>>()
const callsAtWork = new WeakMap<ViewCall, WeakMap<ViewLive['progress'][number], ViewCall>>()
const liveTurns = new WeakMap<readonly ViewTurn[], WeakMap<ViewLive, readonly ViewTurn[]>>()

function withLive(turn: ViewTurn, { reply, progress }: ViewLive): ViewTurn {
  const steps = progress.length > 0 ? turn.steps.map((step) => withProgress(step, progress)) : turn.steps
  if (!reply) return { ...turn, steps }
  const { turnId: _turnId, step, ...streaming } = reply
  return { ...turn, steps: [...steps, { step, streaming, calls: [] }] }
}

function withProgress(step: ViewStep, progress: ViewLive['progress']): ViewStep {
  if (!step.reply || step.calls.every(({ state }) => state === 'settled')) return step
  const calls = step.calls.map((call) => {
    const told = progress.find(({ callId }) => callId === call.callId)
    return told ? rememberBoth(callsAtWork, call, told, () => ({ ...call, progress: told.value })) : call
  })
  return { ...step, calls }
}

export function remember<K extends WeakKey, V>(known: WeakMap<K, V>, key: K, make: () => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const made = make()
  known.set(key, made)
  return made
}

export function rememberBoth<A extends WeakKey, B extends WeakKey, V>(
  known: WeakMap<A, WeakMap<B, V>>,
  a: A,
  b: B,
  make: () => V,
): V {
  return remember(
    remember(known, a, () => new WeakMap<B, V>()),
    b,
    make,
  )
}
