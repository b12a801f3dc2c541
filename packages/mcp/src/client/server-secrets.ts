/**
 * The secrets of one server. A server may repeat what it was sent, so they are removed from every message before any other
 * code reads it.
 */
import type { Json } from '@holdpoint/core'
import { withoutSecrets } from 'holdpoint'
import type { AnyServer } from './server-config.ts'
import { credentialsIn } from './server-identity.ts'

export class ServerSecrets {
  readonly #secrets = new Map<string, string>()

  constructor(server: AnyServer) {
    for (const [n, value] of credentialsIn(server).entries()) this.#secrets.set(`of the server, ${n + 1}`, value)
  }

  /** Call it for each secret that is sent to the server. */
  readonly onSecret = (name: string, value: string): void => void this.#secrets.set(name, value)

  readonly redact = <T>(value: T): T =>
    this.#secrets.size === 0 ? value : (withoutSecrets(this.#secrets, value as Json) as T)
}
