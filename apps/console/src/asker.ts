import { useWatched } from '@holdpoint/react'
import { wokenBy } from '@holdpoint/ui'

/** Whose words a call is about: in a life, whoever woke the agent. Undefined for one of an older turn. */
export function useAsker(conversationId: string, callId: string): string | undefined {
  const { value } = useWatched(`newest turn ${conversationId}`, async (client, signal) => {
    const view = await client.conversations.view(conversationId, { turns: 1 }, { signal })
    return { turn: view?.turns.at(-1) }
  })
  const turn = value?.turn
  if (!turn?.steps.some(({ calls }) => calls.some((call) => call.callId === callId))) return undefined
  const said = turn.items.findLast(({ kind }) => kind !== 'answer')
  if (said?.kind === 'event') return wokenBy(said.event)
  return said?.kind === 'message' ? said.message.by : undefined
}
