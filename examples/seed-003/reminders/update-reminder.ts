import { tool, type Tool } from 'holdpoint'
import { reminder, reminderInput } from './reminder-schema.ts'
import { ReminderStore } from './reminder-store.ts'

/** A tool for one reminder, made at run time: the model cannot name another one. */
export function updateReminder(id: string): Tool {
  return tool({
    name: 'reminder.current.update',
    description: 'Change the reminder that this conversation is about',
    input: reminderInput.partial(),
    output: reminder,
    run: ({ input, services }) => {
      const store = services.get(ReminderStore)
      return store.insert({ ...store.find(id), ...JSON.parse(JSON.stringify(input)) })
    },
  })
}
