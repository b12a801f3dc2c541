import { tool } from 'holdpoint'
import { reminder, reminderInput } from './reminder-schema.ts'
import { ReminderStore } from './reminder-store.ts'

export const createReminder = tool({
  name: 'reminder.create',
  description: 'Make a new reminder',
  input: reminderInput,
  output: reminder,
  // The call's id is the key of the row, so a call that runs again after a crash makes one row.
  run: ({ input, call, services }) => services.get(ReminderStore).insert({ id: call.id, ...input }),
})
