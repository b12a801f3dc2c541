export interface Task {
  readonly id: string
  readonly title: string
  readonly due: string
  readonly done: boolean
}

/** A service: tools get it from their context, and a test can replace it. */
export class TaskStore {
  readonly tasks = new Map<string, Task>()

  put(task: Task): Task {
    this.tasks.set(task.id, task)
    return task
  }

  get(id: string): Task {
    const task = this.tasks.get(id)
    if (!task) throw new Error(`There is no task "${id}". Ids come from task.list.`)
    return task
  }
}
