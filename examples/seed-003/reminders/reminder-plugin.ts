import { definePlugin, tool } from 'holdpoint'
import { z } from 'zod'
import { reminderTools } from './reminder-tools.ts'
import { updateReminder } from './update-reminder.ts'

/** Its state is the reminder that the conversation is about. `tools` is a function, so that the files do not import each other. */
export const reminderPlugin = definePlugin({
  id: 'reminder',
  state: z.object({ current: z.string().optional() }),
  initial: {},
  tools: (self) => [
    ...reminderTools,
    tool({
      name: 'reminder.open',
      description: 'Open a reminder, so that it can be changed',
      input: z.object({ id: z.string() }),
      output: z.object({ success: z.boolean() }),
      run: async ({ input, state }) => {
        await state.set(self, { ...state.get(self), current: input.id })
        return { success: true }
      },
    }),
  ],
  prepare: ({ self, state, tools }) => {
    const current = state.get(self)?.current
    if (current !== undefined) tools.push(updateReminder(current)) // available only while a reminder is open
  },
})
