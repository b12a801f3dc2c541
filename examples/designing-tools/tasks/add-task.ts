import { tool } from 'holdpoint'
import { z } from 'zod'
import { dueDate, task } from './task.ts'
import { TaskStore } from './task-store.ts'

export const addTask = tool({
  name: 'task.add',
  description: 'Put a new task on the list of the team',
  input: z.object({
    title: z.string().min(1).describe('What is to be done, in a few words that start with a verb'),
    due: dueDate,
  }),
  output: task,
  // The call's id is the task's id: a call that runs again after a crash makes no second task.
  run: ({ input, call, services }) => services.get(TaskStore).put({ id: call.id, ...input, done: false }),
})
