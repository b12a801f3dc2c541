/** A view with older turns before the ones it has. What is known and did not change stays the same object. */
import { emptyView, type View } from '@holdpoint/core/view'
import { shared } from './shared.ts'

/**
 * `page` is the same conversation with more turns, and at least as new. It is asked for as a whole, since what happened
 * later may have changed a call of an older turn: an answer that came days after.
 */
export function earlier(view: View, page: View): View {
  const known = new Map(view.turns.map((turn) => [turn.turnId, turn]))
  const turns = page.turns.map((turn) => shared(known.get(turn.turnId), turn))
  // Events that this side has not heard yet may say the end of what is live.
  return { ...page, turns, live: page.seq === view.seq ? view.live : emptyView.live }
}
