/**
 * A container that creates services on first use. A key is a class, whose constructor gets the container, or a name with a
 * factory. A test or an application replaces a service with `set`.
 */
import { HoldpointError } from '../failure.ts'

export type ServiceClass<T> = new (services: Services) => T

export interface ServiceKey<T> {
  readonly name: string
  readonly create?: (services: Services) => T
}

/** A key for a service that has no class: `const Db = service('db', () => openDb())`. */
export function service<T>(name: string, create?: (services: Services) => T): ServiceKey<T> {
  return create ? { name, create } : { name }
}

export class Services {
  readonly #made = new Map<ServiceClass<unknown> | ServiceKey<unknown>, unknown>()
  readonly #making: (ServiceClass<unknown> | ServiceKey<unknown>)[] = []

  get<T>(key: ServiceClass<T> | ServiceKey<T>): T {
    if (!this.#made.has(key)) this.#made.set(key, this.#make(key))
    return this.#made.get(key) as T
  }

  /** Replaces a service, for example in a test. */
  set<T>(key: ServiceClass<T> | ServiceKey<T>, value: T): this {
    this.#made.set(key, value)
    return this
  }

  #make<T>(key: ServiceClass<T> | ServiceKey<T>): T {
    const { name } = key
    if (this.#making.includes(key)) {
      const circle = [...this.#making, key].map((each) => each.name).join(' → ')
      throw new HoldpointError(
        'service-missing',
        `Service "${name}" needs itself: ${circle}. Break the cycle, for example by getting one of them later.`,
      )
    }
    this.#making.push(key)
    try {
      if (typeof key === 'function') return new key(this)
      if (key.create) return key.create(this)
      throw new HoldpointError(
        'service-missing',
        `There is no service "${name}". Call services.set(${name}, …) before the first use, or give its key a factory.`,
      )
    } finally {
      this.#making.pop()
    }
  }
}
