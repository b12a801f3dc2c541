export { memoryStore } from '@holdpoint/core'
export { manualClock, testPorts, type ManualClock } from './manual-clock.ts'
export { proves } from './proves.ts'
export {
  scriptedModel,
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
} from './scripted-model.ts'
