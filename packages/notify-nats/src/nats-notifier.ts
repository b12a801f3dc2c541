/**
 * Carries the notifications of a PostgreSQL store over NATS, so that the database does not send each of them to each gateway. Only
 * plain subjects are used, without JetStream: a notification may get lost, and the store knows that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenNotifier } from '@holdpoint/store-postgres'
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node'

export interface NatsNotifierOptions {
  /** The servers of the NATS cluster: `nats://a:4222`. The client moves to another one when its own fails. */
  readonly servers: string | readonly string[]
  /** Begins the subject. Stores of several databases on one NATS cluster need different ones. Default: `holdpoint`. */
  readonly prefix?: string
  /** Other options of the NATS client, such as credentials. */
  readonly connection?: Omit<ConnectionOptions, 'servers' | 'noEcho' | 'waitOnFirstConnect' | 'maxReconnectAttempts'>
}

/** How long opening the store waits for NATS. */
const FIRST_MS = 2000

/** For the option `notifier` of `postgresStore`. */
export function natsNotifier({ servers, prefix = 'holdpoint', connection = {} }: NatsNotifierOptions): OpenNotifier {
  return async ({ channel, received, onWarning }) => {
    const subject = `${prefix}.${channel}`
    let nats: NatsConnection | undefined
    const connecting = connect({
      reconnectTimeWait: 500,
      ...connection,
      servers: typeof servers === 'string' ? servers : [...servers],
      noEcho: true,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
    }).then(
      (made) => {
        nats = made
        made.subscribe(subject, {
          callback: (error, message) => {
            if (error) onWarning('NATS refused the subscription to notifications.', error)
            else received(message.string())
          },
        })
        void warnOf(made, onWarning)
      },
      (error: unknown) => onWarning('NATS does not accept this process.', error),
    )
    await Promise.race([connecting, sleep(FIRST_MS, undefined, { ref: false })])
    if (!nats) onWarning('NATS does not answer yet; notifications are lost until it does.')
    return {
      send: async (messages) => {
        if (!nats) throw new Error('there is no connection to NATS')
        for (const message of messages) nats.publish(subject, message)
        await nats.flush()
      },
      close: async () => {
        if (nats) await nats.close()
        else void connecting.then(() => nats?.close())
      },
    }
  }
}

async function warnOf(nats: NatsConnection, onWarning: (message: string, cause?: unknown) => void): Promise<void> {
  for await (const { type } of nats.status()) {
    if (type === 'disconnect') onWarning('The connection to NATS broke; it is made again.')
  }
}
