/**
 * A small lazy container. A key is a class, made on first use with the container itself, or a named key with a factory.
 * A test, or an application, puts something else in a key's place with `set`.
 */
import { HoldpointError } from '../failure.ts'

export type ServiceClass<T> = new (services: Services) => T

export interface ServiceKey<T> {
  readonly name: string
  readonly create?: (services: Services) => T
}

/** A key for something that is not a class of its own: `const Db = service('db', () => openDb())`. */
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

  /** Puts a value in a key's place; the way for tests to replace a service. */
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
        `Service "${name}" needs itself: ${circle}. Break the circle, for instance by asking for one of them later.`,
      )
    }
    this.#making.push(key)
    try {
      if (typeof key === 'function') return new key(this)
      if (key.create) return key.create(this)
      throw new HoldpointError(
        'service-missing',
        `There is no service "${name}". Call services.set(${name}, …) before it is asked for, or give its key a factory.`,
      )
    } finally {
      this.#making.pop()
    }
  }
}
