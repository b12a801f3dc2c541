/** The tools of an application that is built with the AI SDK. They stay as they are. */
import { tool } from 'ai'
import { z } from 'zod'

// #region tools
export const sent: string[] = []

export const tools = {
  findContact: tool({
    description: 'Find the e-mail address of a person',
    inputSchema: z.object({ name: z.string() }),
    execute: async ({ name }) => ({ address: `${name}@acme.test` }),
  }),
  sendEmail: tool({
    description: 'Send an e-mail',
    inputSchema: z.object({ to: z.string(), body: z.string() }),
    execute: async ({ to }) => {
      sent.push(to)
      return { ok: true }
    },
  }),
  timeZone: tool({
    description: 'The time zone of the person', // runs on the page
    inputSchema: z.object({}),
    outputSchema: z.object({ zone: z.string() }),
  }),
}
// #endregion
