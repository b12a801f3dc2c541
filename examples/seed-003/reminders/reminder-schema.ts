import { z } from 'zod'

/** The model gets the description of each field with the schema. */
export const reminderInput = z.object({
  title: z.string().describe('A few words that name the reminder'),
  when: z.object({
    type: z.enum(['once', 'cron']).describe('Whether it comes once, or again and again'),
    value: z.string().describe('An ISO date for once, a cron line for cron'),
  }),
})

export const reminder = reminderInput.extend({ id: z.string() })
