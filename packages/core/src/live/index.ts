/** What a browser needs of the core: the view, and nothing that drives. Published as `@holdpoint/core/view`. */
export { applyEvent, emptyView, viewOf, withEarlier } from './view.ts'
export { applyFrame } from './view-live.ts'
export { firstMessageOf } from './first-message.ts'
export { messagesOf, partsOfStep, type ViewMessage, type ViewPart } from './view-messages.ts'
export { peopleInView } from './people-in-view.ts'
export { holdsOf, turnsOf } from './view-turns-and-holds.ts'
export { type Frame } from './frame.ts'
export { isSpaceFrame, type SpaceFrame } from '../log/space-frame.ts'
export type {
  StreamingPart,
  View,
  ViewCall,
  ViewHold,
  ViewLive,
  ViewResolved,
  ViewStep,
  ViewStreaming,
  ViewTurn,
} from './view-shape.ts'
export { isSpaceEvent, memberKey, type Member, type Role } from '../log/space-event.ts'
