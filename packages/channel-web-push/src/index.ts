export { webPushChannel, type WebPushOptions } from './web-push-channel.ts'
