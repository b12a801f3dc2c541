/** Sent with every answer: nothing here is a page to be framed, cached, sniffed or linked from. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Those that the answer has already are its own. */
export function secured(response: Response, more: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...more }))
    if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}
