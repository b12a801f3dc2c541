export { aiSdkModel, type AiSdkModelOptions } from './ai-sdk-model.ts'
