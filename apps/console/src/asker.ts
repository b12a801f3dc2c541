import { useWatched } from '@holdpoint/react'

/** Whose words the newest turn of a conversation is about. */
export function useAsker(conversationId: string): string | undefined {
  const { value } = useWatched(`asker ${conversationId}`, async (client, signal) => {
    const view = await client.conversations.view(conversationId, { turns: 1 }, { signal })
    const said = view?.turns.at(-1)?.items.findLast((item) => item.kind === 'message')
    return { by: said?.kind === 'message' ? said.message.by : undefined }
  })
  return value?.by
}
