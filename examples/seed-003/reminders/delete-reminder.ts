import { tool } from 'holdpoint'
import { z } from 'zod'
import { ReminderStore } from './reminder-store.ts'

export const deleteReminder = tool({
  name: 'reminder.delete',
  description: 'Delete a reminder for good',
  input: z.object({ id: z.string().describe('The id that reminder.search gave') }),
  output: z.object({ id: z.string(), deleted: z.boolean() }),
  run: ({ input: { id }, services }) => {
    const store = services.get(ReminderStore)
    store.find(id) // the model reads the error that it throws
    return { id, deleted: store.rows.delete(id) }
  },
})
