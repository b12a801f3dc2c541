/** The commands by name. */
import { agents } from './agents.ts'
import { completion } from './completion.ts'
import { conversations } from './conversations.ts'
import { keys } from './keys.ts'
import { search } from './search.ts'
import { preferences } from './preferences.ts'
import { rules } from './rules.ts'
import { send } from './send.ts'
import { doctor } from './doctor.ts'
import { holds } from './holds.ts'
import { inbox } from './inbox.ts'
import type { Command } from './command.ts'
import type { ExitCode } from './io.ts'
import { dev, start } from './start.ts'
import { backupStore, restoreStore } from './backup-store.ts'
import { repairStore } from './repair-store.ts'
import { tail } from './tail.ts'
import { exportLogs, signingKeys } from './export-logs.ts'
import { verifyFile } from './verify-file.ts'
import { testExport } from './test-export.ts'

export type CommandName =
  | 'dev'
  | 'start'
  | 'tail'
  | 'holds'
  | 'inbox'
  | 'preferences'
  | 'send'
  | 'conversations'
  | 'search'
  | 'test'
  | 'agents'
  | 'keys'
  | 'rules'
  | 'doctor'
  | 'backup'
  | 'restore'
  | 'export'
  | 'signing-keys'
  | 'verify'
  | 'repair'
  | 'completion'

export const COMMANDS: Readonly<Record<CommandName, (command: Command) => Promise<ExitCode>>> = {
  dev,
  start,
  tail,
  holds,
  inbox,
  preferences,
  send,
  conversations,
  search,
  test: testExport,
  agents,
  keys,
  rules,
  doctor,
  backup: backupStore,
  restore: restoreStore,
  export: exportLogs,
  'signing-keys': signingKeys,
  verify: verifyFile,
  repair: repairStore,
  completion,
}
