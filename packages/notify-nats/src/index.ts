export { natsNotifier, type NatsNotifierOptions } from './nats-notifier.ts'
