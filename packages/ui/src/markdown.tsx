/**
 * Draws markdown as React elements. A model's text never reaches an HTML parser, so there is nothing to sanitise. HTML is
 * shown as text, and images as links, because loading an image would reveal that the message was read. Links lead only to
 * the web and to mail, and show their host.
 *
 * While text is streamed, only the last block is drawn again.
 */
import { Lexer, type Token, type Tokens } from 'marked'
import { memo, useMemo, type MemoExoticComponent, type ReactNode } from 'react'
import { MarkdownInline } from './markdown-inline.tsx'

/** Longer texts are shown as plain text. */
const MOST = 200_000
/** The characters of inline markup, and the most of them that are parsed in one paragraph. */
const MARKS = /[*_~`[<\\]/g
const MOST_MARKS = 300

export const Markdown: MemoExoticComponent<(props: { readonly text: string }) => ReactNode> = memo(function Markdown({
  text,
}: {
  readonly text: string
}): ReactNode {
  const blocks = useMemo(() => blocksOf(text), [text])
  if (!blocks)
    return (
      <pre dir="auto" className="break-words whitespace-pre-wrap">
        {text}
      </pre>
    )
  return (
    <div className="grid grid-cols-1 gap-3 leading-relaxed">
      {blocks.map((block, index) => (
        <Block key={index} raw={block.raw} token={block} />
      ))}
    </div>
  )
})

/** Undefined if the text is too long or the parser fails. */
function blocksOf(text: string): readonly Token[] | undefined {
  if (text.length > MOST) return undefined
  try {
    return new BoundedLexer({ gfm: true }).lex(text).filter(({ type }) => type !== 'space' && type !== 'def')
  } catch {
    return undefined
  }
}

/** Parsing thousands of stars and brackets in one paragraph would take minutes, so such a paragraph is left as text. */
class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if ((src.match(MARKS)?.length ?? 0) <= MOST_MARKS) return super.inlineTokens(src, tokens)
    tokens.push({ type: 'text', raw: src, text: src })
    return tokens
  }
}

const Block = memo(
  function Block({ token }: { readonly raw: string; readonly token: Token }): ReactNode {
    return <BlockOf token={token} />
  },
  // A block with the same source looks the same, so it is not drawn again.
  (before, after) => before.raw === after.raw && before.token.type === after.token.type,
)

/** Deeper nesting is shown as source text, because each level makes the text narrower. */
const DEEPEST = 8

const HEADINGS = ['text-lg', 'text-base', 'text-base', 'text-sm', 'text-sm', 'text-sm'] as const

function BlockOf({ token: given, depth = 0 }: { readonly token: Token; readonly depth?: number }): ReactNode {
  const token = given as Tokens.Generic & Token
  if (depth > DEEPEST) return <Raw text={given.raw} />
  switch (token.type) {
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      // The headings of a message are below the headings of the page.
      return (
        <p
          role="heading"
          aria-level={Math.min(6, depth + 2)}
          dir="auto"
          className={`font-semibold ${HEADINGS[depth - 1] ?? ''}`}
        >
          <MarkdownInline tokens={tokens} />
        </p>
      )
    }
    case 'paragraph':
      return (
        <p dir="auto" className="break-words [overflow-wrap:anywhere]">
          <MarkdownInline tokens={(token as Tokens.Paragraph).tokens} />
        </p>
      )
    case 'code': {
      const { text, lang } = token as Tokens.Code
      return (
        <figure className="overflow-hidden rounded-md border border-border bg-muted">
          {lang !== undefined && lang !== '' && (
            <figcaption className="border-b border-border px-3 py-1 font-mono text-xs text-muted-foreground">
              {lang}
            </figcaption>
          )}
          {/* Focusable, so that it can be scrolled by keyboard. */}
          <pre
            dir="ltr"
            tabIndex={0}
            aria-label="Code"
            role="region"
            className="overflow-x-auto px-3 py-2 font-mono text-[0.85em] leading-normal outline-none focus-visible:ring-2 focus-visible:ring-ring"
          >
            <code>{text}</code>
          </pre>
        </figure>
      )
    }
    case 'blockquote':
      return (
        <blockquote className="grid grid-cols-1 gap-2 border-s-2 border-input ps-3 text-muted-foreground">
          {((token as Tokens.Blockquote).tokens ?? []).map((each, index) => (
            <BlockOf key={index} token={each} depth={depth + 1} />
          ))}
        </blockquote>
      )
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />
    case 'table':
      return <Table table={token as Tokens.Table} />
    case 'hr':
      return <hr className="border-border" />
    case 'space':
      return null
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens ? <MarkdownInline tokens={tokens} /> : text
    }
    // Everything else, including HTML, is shown as text.
    default:
      return <Raw text={given.raw} />
  }
}

function Raw({ text }: { readonly text: string }): ReactNode {
  return (
    <p dir="auto" className="break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
      {text.trimEnd()}
    </p>
  )
}

function List({
  list: { ordered, start, items },
  depth,
}: {
  readonly list: Tokens.List
  readonly depth: number
}): ReactNode {
  const Kind = ordered ? 'ol' : 'ul'
  const from = ordered && typeof start === 'number' && start !== 1 ? { start } : {}
  return (
    <Kind
      {...from}
      className={`grid gap-1 ps-5 ${ordered ? 'list-decimal' : 'list-disc'} marker:text-muted-foreground`}
    >
      {items.map((item, index) => (
        <li key={index} dir="auto">
          {item.task && (
            <input
              type="checkbox"
              disabled
              checked={item.checked === true}
              aria-label={item.checked ? 'done' : 'to do'}
              className="me-1.5"
            />
          )}
          {item.tokens.map((each, nth) => (
            <BlockOf key={nth} token={each} depth={depth + 1} />
          ))}
        </li>
      ))}
    </Kind>
  )
}

function Table({ table: { header, rows } }: { readonly table: Tokens.Table }): ReactNode {
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div
      role="region"
      aria-label="Table"
      tabIndex={0}
      className="overflow-x-auto outline-none focus-visible:ring-2 focus-visible:ring-ring"
    >
      <table className="border-collapse text-sm">
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} dir="auto" className="border-b border-input px-2 py-1 text-start font-medium">
                <MarkdownInline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, nth) => (
                <td key={nth} dir="auto" className="border-b border-border px-2 py-1 align-top">
                  <MarkdownInline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
