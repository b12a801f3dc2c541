import type { Tool } from 'holdpoint'
import { createReminder } from './create-reminder.ts'
import { deleteReminder } from './delete-reminder.ts'
import { searchReminders } from './search-reminders.ts'

/** The tools that are always available. */
export const reminderTools: readonly Tool[] = [createReminder, deleteReminder, searchReminders]
