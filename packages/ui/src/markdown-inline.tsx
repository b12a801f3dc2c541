import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { safeLink, hiddenTarget } from './web-address.ts'

/** Deeper nesting is shown as source text. */
const DEEPEST = 20

export function MarkdownInline({
  tokens = [],
  depth = 0,
}: {
  readonly tokens: readonly Token[] | undefined
  readonly depth?: number
}): ReactNode {
  return tokens.map((token, index) => <Inline key={index} token={token} depth={depth + 1} />)
}

function Inline({ token: given, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
  const token = given as Tokens.Generic & Token
  if (depth > DEEPEST) return given.raw
  switch (token.type) {
    case 'strong':
      return (
        <strong className="font-semibold">
          <MarkdownInline tokens={token.tokens} depth={depth} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <MarkdownInline tokens={token.tokens} depth={depth} />
        </em>
      )
    case 'del':
      return (
        <del>
          <MarkdownInline tokens={token.tokens} depth={depth} />
        </del>
      )
    case 'codespan':
      return (
        <code dir="ltr" className="rounded-sm bg-muted px-1 py-0.5 font-mono text-[0.88em]">
          {(token as Tokens.Codespan).text}
        </code>
      )
    case 'br':
      return <br />
    case 'link':
      return <Link href={(token as Tokens.Link).href} text={(token as Tokens.Link).text} tokens={token.tokens} />
    case 'image':
      return (
        <Link
          href={(token as Tokens.Image).href}
          text={`picture: ${(token as Tokens.Image).text}`}
          tokens={undefined}
        />
      )
    case 'escape':
      return (token as Tokens.Escape).text
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens && tokens.length > 0 ? <MarkdownInline tokens={tokens} depth={depth} /> : text
    }
    default:
      return given.raw
  }
}

function Link({
  href,
  text,
  tokens,
}: {
  readonly href: string
  readonly text: string
  readonly tokens: readonly Token[] | undefined
}): ReactNode {
  const url = safeLink(href)
  const inside = tokens ? <MarkdownInline tokens={tokens} /> : text
  if (!url)
    return (
      <span>
        {inside} <span className="text-muted-foreground">({href})</span>
      </span>
    )
  const target = hiddenTarget(url, text)
  return (
    <>
      <a
        href={url.href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="rounded-sm text-ring underline decoration-1 underline-offset-2 outline-none hover:decoration-2 focus-visible:ring-2 focus-visible:ring-ring"
      >
        {inside}
      </a>
      {/* bdi: direction marks in the text before must not reverse the host. */}
      {target !== undefined && (
        <>
          {' '}
          <bdi dir="ltr" className="text-xs text-muted-foreground">
            ({target})
          </bdi>
        </>
      )}
    </>
  )
}
