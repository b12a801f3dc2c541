/** The zoo: all bugs. Files of this folder must not load the core, because its sources are changed before they are loaded. */
import { askerBugs } from './asker-bugs.ts'
import type { Bug } from './bug.ts'
import { driveBugs } from './drive-bugs.ts'
import { logBugs } from './log-bugs.ts'
import { ruleBugs } from './rule-bugs.ts'
import { runtimeBugs } from './runtime-bugs.ts'
import { spaceBugs } from './space-bugs.ts'
import { storeBugs } from './store-bugs.ts'
import { channelBugs } from './channel-bugs.ts'
import { mishapBugs } from './mishap-bugs.ts'
import { turnBugs } from './turn-bugs.ts'

export const bugs: readonly Bug[] = [
  ...storeBugs,
  ...logBugs,
  ...turnBugs,
  ...askerBugs,
  ...driveBugs,
  ...runtimeBugs,
  ...ruleBugs,
  ...spaceBugs,
  ...mishapBugs,
  ...channelBugs,
]
