export { memoryStore } from '@holdpoint/core'
export { manualClock, testPorts, type ManualClock } from './manual-clock.ts'
export { playRecording, type PlayedCall, type PlayedTurn, type PlayOptions } from './recording/play-recording.ts'
export {
  recordingOf,
  type LeftOut,
  type RecordedToolCall,
  type RecordedTurn,
  type Recording,
} from './recording/recording.ts'
export { proves } from './proves.ts'
export {
  scriptedModel,
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
} from './scripted-model.ts'
export { atHead, followsAt } from './store-conformance/at-head.ts'
export { storeConformance, type StoreCase } from './store-conformance/store-conformance.ts'
export { type OpenPlace, type StorePlace } from './store-conformance/scene.ts'
export {
  storeDifferential,
  type DifferentialCount,
  type DifferentialOptions,
} from './store-conformance/differential/store-differential.ts'
export { faultKinds, type FaultKind } from './sim/faults.ts'
export type { SimExtension } from './sim/extension.ts'
export { mishaps, type Mishap } from './sim/mishaps.ts'
export { simulate, type Simulated, type SimulateOptions } from './sim/simulate.ts'
export { invariants, type InvariantId, type Violation } from './sim/violation.ts'
export { type TamperStore } from './sim/world.ts'
