/** Approvals on a page without any framework: the client, and the document. main.ts opens it. */
// #region imports
import {
  messagesOf,
  type Client,
  type ListOf,
  type LiveConversation,
  type PendingHold,
  type WatchedState,
} from '@holdpoint/client'
// #endregion

// #region page
export function openPage(client: Client): void {
  const conversation = client.conversation('order-17')
  conversation.tools({
    'browser.time_zone': { run: () => Intl.DateTimeFormat().resolvedOptions().timeZone }, // runs on this page
  })
  showMessages(conversation, document.querySelector('main')!)
  showHolds(client, document.querySelector('aside')!)
  const form = document.querySelector('form')!
  form.onsubmit = (event) => {
    event.preventDefault()
    const field = form.querySelector('input')!
    void conversation.send(field.value, { agent: 'desk' }).then(({ ok }) => ok && (field.value = ''))
  }
}
// #endregion

// #region messages
function showMessages(conversation: LiveConversation, place: HTMLElement): void {
  const drawn = new WeakMap<object, HTMLElement>()
  conversation.subscribe((view) => {
    const elements = messagesOf(view).map((message) => {
      const known = drawn.get(message) // a message that did not change is the same object
      if (known) return known
      const element = document.createElement('p')
      if ('parts' in message)
        element.textContent = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      drawn.set(message, element)
      return element
    })
    place.replaceChildren(...elements)
  })
}
// #endregion

// #region holds
function showHolds(client: Client, place: HTMLElement): void {
  const holds = client.watch(() => client.holds.list({ kind: 'approval' }))
  const draw = ({ value }: WatchedState<ListOf<PendingHold>>): void => {
    place.replaceChildren()
    for (const { conversationId, callId, nth, name, input } of value?.items ?? []) {
      const button = document.createElement('button')
      button.textContent = `Approve ${name} ${JSON.stringify(input)}` // as text, never as markup
      button.onclick = () => {
        void client.holds.approve(conversationId, callId, { hold: nth }).then(({ verdict, message }) => {
          if (verdict !== 'accepted') button.textContent = message // says what happened instead
        })
      }
      place.append(button)
    }
  }
  holds.subscribe(() => draw(holds.state))
}
// #endregion
