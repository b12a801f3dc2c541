import { tool } from 'holdpoint'
import { z } from 'zod'
import { reminder } from './reminder-schema.ts'
import { ReminderStore } from './reminder-store.ts'

export const searchReminders = tool({
  name: 'reminder.search',
  description: 'Find reminders by a word of their title',
  input: z.object({ query: z.string(), limit: z.number().default(10) }),
  output: z.object({ results: z.array(reminder) }), // an object rather than a list, so that fields can be added
  run: ({ input: { query, limit }, services }) => {
    const rows = [...services.get(ReminderStore).rows.values()]
    return { results: rows.filter(({ title }) => title.includes(query)).slice(0, limit) }
  },
})
