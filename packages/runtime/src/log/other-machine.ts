import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Address } from '@holdpoint/core/internal/log/store'

/** The log with this id belongs to another machine: it is a space and not a conversation, or the other way round. */
export class OtherMachine extends HoldpointError {
  constructor({ id }: Address) {
    super('config-invalid', `"${id}" is taken: a space and a conversation cannot have the same id. Use another one.`)
  }
}
