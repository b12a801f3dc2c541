/** Adds older turns to a view. Turns that did not change stay the same objects. */
import { emptyView, type View } from '@holdpoint/core/view'
import { keepUnchanged } from './keep-unchanged.ts'

/**
 * `page` is a view of the same conversation with more turns, at least as new. It contains the newest turns too, because a
 * late answer may have changed a call of any turn.
 */
export function withOlderTurns(view: View, page: View): View {
  const known = new Map(view.turns.map((turn) => [turn.turnId, turn]))
  const turns = page.turns.map((turn) => keepUnchanged(known.get(turn.turnId), turn))
  // If the page is newer, it has events that end what is live in the old view.
  return { ...page, turns, live: page.seq === view.seq ? view.live : emptyView.live }
}
