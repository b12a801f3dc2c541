import { tool } from 'holdpoint'
import { z } from 'zod'
import { task } from './task.ts'
import { TaskStore } from './task-store.ts'

export const listTasks = tool({
  name: 'task.list',
  description: 'List the tasks of the team, the most urgent first',
  input: z.object({
    open: z.boolean().default(true).describe('Only those that are not done'),
    limit: z.number().int().min(1).max(50).default(10).describe('How many at most'),
  }),
  output: z.object({ tasks: z.array(task), more: z.number().describe('How many were left out') }),
  run: ({ input: { open, limit }, services }) => {
    const all = [...services.get(TaskStore).tasks.values()].filter(({ done }) => !open || !done)
    const tasks = all.toSorted((a, b) => a.due.localeCompare(b.due)).slice(0, limit)
    return { tasks, more: all.length - tasks.length }
  },
})
