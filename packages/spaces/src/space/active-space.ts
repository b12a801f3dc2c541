/** A space in this process's memory: see `ActiveLog`. Its driver only delivers messages to the agents in it. */
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { ActiveLog } from '@holdpoint/runtime/internal/log/active-log'
import { deliverNotices } from '@holdpoint/runtime/internal/drive/deliver-notices'
import type { LogOptions } from '@holdpoint/runtime/internal/log/log-options'
import { Log } from '@holdpoint/runtime/internal/log/log'
import type { Performer } from '@holdpoint/runtime/internal/drive/performer'
import type { Ports } from '@holdpoint/core/internal/ports'
import { spaceMachine, type SpaceEffect, type SpaceState } from './space-machine.ts'

export type SpaceLog = Log<SpaceState, SpaceEffect>

export function spaceLog(address: Address, store: Store, ports: Ports, options: LogOptions): SpaceLog {
  return new Log(spaceMachine, address, store, ports, options)
}

export class ActiveSpace extends ActiveLog<SpaceState, SpaceEffect> {
  /** A space has no deadlines. */
  protected override async settleDue(): Promise<void> {}

  protected override performer(): Performer<SpaceState, SpaceEffect> {
    const { host, log } = this
    return {
      immediate: () => [],
      leavesOthers: () => false,
      work:
        ({ notices }) =>
        () =>
          deliverNotices(notices, (delivery) => host.deliver(log.address, delivery)),
      isSame: () => true,
      runsWhileDraining: () => false,
      toEvents: (result) => result.filter((event) => 'type' in event),
      appended: () => {},
    }
  }
}
