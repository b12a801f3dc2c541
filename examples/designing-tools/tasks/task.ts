import { z } from 'zod'

export const dueDate = z.iso.date().describe('The last day for it, as in 2030-01-31')
export const task = z.object({ id: z.string(), title: z.string(), due: dueDate, done: z.boolean() })
