import { tool } from 'holdpoint'
import { z } from 'zod'
import { task } from './task.ts'
import { TaskStore } from './task-store.ts'

export const finishTask = tool({
  name: 'task.finish',
  description: 'Mark one task as done',
  input: z.object({ id: z.string().describe('The id that task.list or task.add gave') }),
  output: task,
  run: ({ input: { id }, services }) => {
    const store = services.get(TaskStore)
    return store.put({ ...store.get(id), done: true }) // the model reads the error that `get` throws
  },
})
