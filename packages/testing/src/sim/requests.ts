/**
 * The connection from a caller to a node. A request may get lost or be duplicated, and so may its answer. Each answer is checked where
 * the node sends it, whether or not the caller receives it.
 */
import type { Runtime } from '@holdpoint/spaces'
import type { SimNode } from './node.ts'
import type { Process } from './scheduler.ts'
import type { World } from './world.ts'

export interface ResponseCheck<T> {
  told(answer: T): void
  failed?(error: unknown): void
}

export interface Request<T> {
  readonly label: string
  ask(runtime: Runtime, node: SimNode): Promise<T>
  /** Called when a node receives the request. The returned object checks the answer, or its absence. */
  begins?(node: SimNode): ResponseCheck<T>
}

/** The answer. Undefined if none arrived. */
export function request<T>(
  world: World,
  person: Process,
  node: SimNode,
  { label, ask, begins }: Request<T>,
): Promise<T | undefined> {
  const { scheduler, faults, random } = world
  const name = `${person.name} ${label}`
  // Once the faults have stopped, no new requests are made.
  if (!faults.active) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const timer = scheduler.add(person, `${name}: gives up`, random.between(2000, 15_000), () => resolve(undefined))
    const hear = (answer: T | undefined): void => {
      if (faults.strikes('told-nothing')) return
      scheduler.add(person, `${name}: hears`, random.between(0, 20), () => {
        scheduler.cancel(timer)
        resolve(answer)
      })
    }
    const send = (to: SimNode, delay: number): void => {
      world.asking++
      const arrive = (): void => {
        let judging: ResponseCheck<T> | undefined
        to.call(
          name,
          (runtime) => {
            judging = begins?.(to)
            return ask(runtime, to)
          },
          (answer) => {
            world.asking--
            judging?.told(answer)
            hear(answer)
          },
          (error) => {
            world.asking--
            if (error !== undefined) {
              world.unexpected(error, name)
              judging?.failed?.(error)
            }
            hear(undefined)
          },
        )
      }
      scheduler.add(person, `${name} to ${to.name}`, delay, arrive, true)
    }
    if (faults.strikes('call-lost')) return
    send(node, random.between(0, 20))
    if (faults.strikes('call-twice')) send(random.pick(world.nodes), random.between(0, 3000))
  })
}
