/** A service: tools get it from the container, and a test can replace it. */
export interface Reminder {
  readonly id: string
  readonly title: string
  readonly when: { readonly type: 'once' | 'cron'; readonly value: string }
}

export class ReminderStore {
  readonly rows = new Map<string, Reminder>()

  /** The same id gives the same reminder, so a call that runs twice does no harm. */
  insert(reminder: Reminder): Reminder {
    this.rows.set(reminder.id, reminder)
    return reminder
  }

  find(id: string): Reminder {
    const found = this.rows.get(id)
    if (found === undefined) throw new Error(`There is no reminder ${id}`)
    return found
  }
}
