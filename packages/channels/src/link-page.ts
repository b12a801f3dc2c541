/** The pages of a signed link: plain HTML without scripts. */
import type { HoldMessage } from './channel.ts'
import { endWords, titleOf } from './hold-message.ts'
import type { LinkDecision, LinkPage } from './links.ts'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // The address is the right to decide: no cache keeps it, and no other page learns it.
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
}

export function linkPage(page: LinkPage): Response {
  switch (page.state) {
    case 'invalid':
      return html(404, 'This link is not valid', '<p>It is wrong or too old. Open the console to decide.</p>')
    case 'over': {
      const what = page.end ? `It was ${escape(endWords(page.end))}.` : 'It has changed, or you may not decide it now.'
      return html(410, 'There is nothing to decide', `<p>${what}</p>`)
    }
    case 'used':
      return html(410, 'This link was used already', `${facts(page.message)}${consoleLink(page.message)}`)
    case 'sign-in':
      return html(
        200,
        titleOf(page.message),
        `${facts(page.message)}<p>Sign in to decide this.</p>${consoleLink(page.message)}`,
      )
    case 'open':
      return html(200, titleOf(page.message), facts(page.message) + form(page.message, page.nonce))
  }
}

export function decidedPage(decision: LinkDecision): Response {
  if ('refused' in decision)
    switch (decision.refused) {
      case 'nonce':
        return html(403, 'Nothing was decided', '<p>Open the link again, and decide on its page.</p>')
      case 'code':
        return html(403, 'Nothing was decided', '<p>The code is wrong. It is in the message, beside the link.</p>')
      case 'used':
        return html(410, 'Nothing was decided', '<p>This link was used already.</p>')
      case 'not-open':
        return html(410, 'Nothing was decided', '<p>There is nothing to decide any more.</p>')
    }
  const { result, person } = decision
  const message = 'message' in result && result.message !== undefined ? escape(result.message) : ''
  if (result.verdict === 'accepted')
    return html(200, 'Done', `<p>Your decision was recorded for ${escape(person)}.</p>`)
  return html(409, 'Nothing was decided', `<p>${escape(result.verdict)}. ${message}</p>`)
}

function facts(message: HoldMessage): string {
  const { agent, tool, reason, askedBy, input, expiresAt, conversationId, missing } = message
  const rows: readonly (readonly [string, string])[] = [
    ['Agent', agent],
    ['Tool', tool],
    ...(reason === undefined ? [] : [['Why', reason] as const]),
    ...(askedBy.length === 0 ? [] : [['Asked by', askedBy.join(', ')] as const]),
    ['Conversation', conversationId],
    ...(missing > 1 ? [['Approvals missing', String(missing)] as const] : []),
    ['Until', new Date(expiresAt).toISOString()],
  ]
  const list = rows.map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`).join('')
  return `<dl>${list}</dl><pre>${escape(input.text)}</pre>`
}

function form({ may }: HoldMessage, nonce: string): string {
  const choice = (value: string, label: string): string =>
    `<label><input type="radio" name="decision" value="${value}" required> ${label}</label>`
  return `<form method="post">
<input type="hidden" name="nonce" value="${escape(nonce)}">
${may.approve ? choice('approve', 'Approve') : ''}
${may.reject ? choice('reject', 'Reject') : ''}
<label>Reason <input name="reason" maxlength="1000"></label>
<label>Code from the message <input name="code" required autocomplete="off" maxlength="20"></label>
<button type="submit">Decide</button>
</form>`
}

function consoleLink({ url }: HoldMessage): string {
  return `<p><a href="${escape(url)}" rel="noreferrer">Open it in the console</a></p>`
}

function html(status: number, title: string, body: string): Response {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title><style>${STYLE}</style><h1>${escape(title)}</h1>${body}</html>`
  return new Response(page, { status, headers: HEADERS })
}

const STYLE =
  'body{font:16px/1.5 system-ui;max-width:40rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;background:#f4f4f5;padding:1rem;overflow-wrap:anywhere}label{display:block;margin:.75rem 0}dt{font-weight:600}dd{margin:0}'

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
