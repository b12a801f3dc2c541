/** A space in this process's memory: see `ActiveLog`. Its driver only delivers messages to the agents in it. */
import type { Address, Store } from '../log/store.ts'
import { ActiveLog } from '../loop/active-log.ts'
import { deliverNotices } from '../loop/deliver-notices.ts'
import type { LogOptions } from '../loop/log-options.ts'
import { Log } from '../loop/log.ts'
import type { Performer } from '../loop/performer.ts'
import type { Ports } from '../ports.ts'
import { spaceMachine, type SpaceEffect, type SpaceState } from '../space/space-machine.ts'

export type SpaceLog = Log<SpaceState, SpaceEffect>

export function spaceLog(address: Address, store: Store, ports: Ports, options: LogOptions): SpaceLog {
  return new Log(spaceMachine, address, store, ports, options)
}

export class ActiveSpace extends ActiveLog<SpaceState, SpaceEffect> {
  /** A space has no deadlines. */
  protected override async settleDue(): Promise<void> {}

  protected override performer(): Performer<SpaceState, SpaceEffect> {
    const { world, log } = this
    return {
      immediate: () => [],
      leavesOthers: () => false,
      work:
        ({ notices }) =>
        () =>
          deliverNotices(notices, (delivery) => world.deliver(log.address, delivery)),
      isSame: () => true,
      runsWhileDraining: () => false,
      toEvents: (result) => result.filter((event) => 'type' in event),
      appended: () => {},
    }
  }
}
