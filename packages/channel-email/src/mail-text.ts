/** The body of a mail, as text and as HTML, with the same content. */
import { digestTitle, endWords, titleOf, type DigestMessage, type HoldMessage } from '@holdpoint/channels'

export interface MailText {
  readonly text: string
  readonly html: string
}

/** Each hold as in a mail of its own. */
export function digestMailText(digest: DigestMessage): MailText {
  const { holds, more, url } = digest
  const mails = holds.map(mailText)
  const rest = more === 0 ? [] : [`${more} more: ${url}`]
  return {
    text: [digestTitle(digest), ...mails.map(({ text }) => text), ...rest].join('\n\n----\n\n'),
    html: [
      `<p>${escape(digestTitle(digest))}.</p>`,
      ...mails.map(({ html }) => html),
      ...rest.map(() => `<p><a href="${escape(url)}">${more} more</a></p>`),
    ].join('\n<hr>\n'),
  }
}

export function mailText(message: HoldMessage): MailText {
  const { end, input, link, url, why, reminded } = message
  const facts = factsOf(message)
  const cut = input.cut === 0 ? [] : [`… ${input.cut} more characters. The whole: ${url}`]
  const title = reminded && !end ? `Reminder: ${titleOf(message)}` : titleOf(message)
  const todo = end ? [`It was ${endWords(end)}.`] : todoOf(message)
  const lines = [title, '', ...facts.map(([name, value]) => `${name}: ${value}`), '', input.text, ...cut, '', ...todo]
  const html = [
    `<h1 style="font-size:1.2em">${escape(title)}</h1>`,
    `<table>${facts.map(([name, value]) => `<tr><th align="left">${escape(name)}</th><td>${escape(value)}</td></tr>`).join('')}</table>`,
    `<pre style="white-space:pre-wrap">${escape(input.text)}</pre>`,
    input.cut === 0
      ? ''
      : `<p><strong>${input.cut} more characters are not shown.</strong> <a href="${escape(url)}">The whole</a></p>`,
    end ? `<p><strong>It was ${escape(endWords(end))}.</strong></p>` : '',
    !end && why !== undefined ? `<p>${escape(why)}</p>` : '',
    !end && link
      ? `<p><a href="${escape(link.url)}">Decide</a> with the code <strong>${escape(link.code)}</strong></p>`
      : '',
    end ? '' : `<p><a href="${escape(url)}">Open it in the console</a></p>`,
  ]
  return { text: lines.join('\n'), html: html.filter((part) => part !== '').join('\n') }
}

function todoOf({ why, link, url }: HoldMessage): readonly string[] {
  return [
    ...(why === undefined ? [] : [why]),
    ...(link ? [`Decide: ${link.url}`, `with the code ${link.code}`] : []),
    `In the console: ${url}`,
  ]
}

function factsOf(message: HoldMessage): readonly (readonly [string, string])[] {
  const { agent, tool, reason, askedBy, expiresAt, conversationId, missing } = message
  return [
    ['Agent', agent],
    ['Tool', tool],
    ...(reason === undefined ? [] : [['Why', reason] as const]),
    ...(askedBy.length === 0 ? [] : [['Asked by', askedBy.join(', ')] as const]),
    ['Conversation', conversationId],
    ...(missing > 1 ? [['Approvals missing', String(missing)] as const] : []),
    ...(expiresAt > 0 ? [['Until', new Date(expiresAt).toISOString()] as const] : []),
  ]
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
