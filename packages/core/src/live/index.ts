/** What a browser needs of the core: the view, and nothing that drives. Published as `@holdpoint/core/view`. */
export { applyEvent, emptyView, viewOf, withEarlier } from './view.ts'
export { applyFrame } from './view-live.ts'
export { firstWordsOf } from './first-words.ts'
export { messagesOf, type ViewMessage, type ViewPart } from './view-messages.ts'
export { holdsOf, turnsOf } from './view-select.ts'
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
export { applySpaceEvent, applySpaceFrame, emptySpaceView, spaceViewOf } from '../space/space-view.ts'
export { type SpaceMessage, type SpaceView, type ToolMessage } from '../space/space-view.ts'
export { type SpaceWriting } from '../space/space-writing.ts'
export { isSpaceEvent, memberKey, type Member, type Role } from '../log/space-event.ts'
export { type SpaceMember } from '../space/space.ts'
