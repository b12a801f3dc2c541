import type { Tool } from 'holdpoint'
import { addTask } from './add-task.ts'
import { finishTask } from './finish-task.ts'
import { listTasks } from './list-tasks.ts'

export const taskTools: readonly Tool[] = [addTask, finishTask, listTasks]
