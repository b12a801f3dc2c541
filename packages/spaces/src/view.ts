/** What a browser needs of a space: its view, and nothing that drives. Published as `@holdpoint/spaces/view`. */
export { applySpaceEvent, applySpaceFrame, emptySpaceView, spaceViewOf } from './space/space-view.ts'
export { type SpaceMessage, type SpaceView, type ToolMessage } from './space/space-view.ts'
export { type SpaceWriting } from './space/space-writing.ts'
export { type SpaceMember } from './space/space.ts'
