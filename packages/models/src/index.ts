export { aiSdkModel } from './ai-sdk-model.ts'
