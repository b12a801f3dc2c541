import { metrics, type MeterProvider } from '@opentelemetry/api'
import type { Appended, Store } from '@holdpoint/core'

const SECONDS = [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 4.096]

/** The store, with the time that each append took and its result. */
export function observedStore(store: Store, provider: MeterProvider = metrics.getMeterProvider()): Store {
  const took = provider.getMeter('@holdpoint/telemetry').createHistogram('holdpoint.store.append.duration', {
    unit: 's',
    description: 'How long appends to the store took.',
    advice: { explicitBucketBoundaries: SECONDS },
  })
  const append: Store['append'] = async (write) => {
    const since = performance.now()
    let result: Appended['result'] = 'unknown'
    try {
      const answer = await store.append(write)
      result = answer.result
      return answer
    } finally {
      took.record((performance.now() - since) / 1000, { 'holdpoint.append.result': result })
    }
  }
  // A proxy, because a store may be an object of a class.
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })
}
