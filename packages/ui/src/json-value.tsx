/**
 * Shows any JSON value as a structure. Long and deep values are collapsed, with a button that says how much is left.
 * Strings show their hidden characters by name, and the host of each web address.
 */
import { useMemo, type ReactNode } from 'react'
import type { Json } from '@holdpoint/client'
import { useFold } from './folds.ts'
import { lookAlikesIn } from './look-alikes.ts'
import { ShownText } from './shown-text.tsx'
import { webAddressesIn } from './web-address.ts'

const LONG = 600
const MANY = 20
const DEEP = 4
/** The most look-alike letters that are named for one address. */
const LETTERS = 6
/** The most that one click shows, so that a value with a million entries does not block the page. */
const PAGE = { characters: 20_000, entries: 500 } as const
/** Text that looks like another type or like our own words, or that starts or ends with spaces. */
const NEEDS_QUOTES = /^(?:true|false|null|-?\d[\d.e+-]*|nothing|an empty list|empty text)$|^\s|\s$/i

export function JsonValue({ value, depth = 0 }: { readonly value: Json; readonly depth?: number }): ReactNode {
  if (typeof value === 'string') return <TextValue text={value} />
  if (typeof value !== 'object' || value === null)
    return <span className="font-mono text-[0.93em] text-ring">{String(value)}</span>
  const entries: readonly (readonly [string, Json])[] = Object.entries(value)
  if (entries.length === 0)
    return <span className="text-muted-foreground">{Array.isArray(value) ? 'an empty list' : 'nothing'}</span>
  return <Entries entries={entries} list={Array.isArray(value)} depth={depth} />
}

function Entries({
  entries,
  list,
  depth,
}: {
  readonly entries: readonly (readonly [string, Json])[]
  readonly list: boolean
  readonly depth: number
}): ReactNode {
  const [shown, more] = useFold(entries.length, depth >= DEEP ? 0 : MANY, PAGE.entries)
  const rest = entries.length - shown
  const noun = `${list ? 'item' : 'field'}${rest === 1 ? '' : 's'}`
  const gap = depth === 0 ? 'gap-1.5' : 'gap-1'
  const fields = (
    <dl className={`grid grid-cols-1 ${gap}`}>
      {entries.slice(0, shown).map(([key, value]) => (
        <div
          key={key}
          className={
            isFlat(value)
              ? 'grid grid-cols-[fit-content(12rem)_minmax(0,1fr)] items-baseline gap-x-3'
              : 'grid grid-cols-1 gap-1'
          }
        >
          <dt className="min-w-20 font-mono text-xs text-muted-foreground">
            {list ? <span aria-label={`item ${Number(key) + 1}`}>{Number(key) + 1}.</span> : <ShownText text={key} />}
          </dt>
          <dd className="min-w-0">
            <JsonValue value={value} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  )
  return (
    <div className={`grid grid-cols-1 ${gap} ${depth === 0 ? '' : 'border-s border-border ps-3'}`}>
      {shown > 0 && fields}
      {rest > 0 && (
        <More onClick={more}>
          {shown === 0
            ? `Show ${stepOf(rest, PAGE.entries)} ${noun}`
            : `Show ${stepOf(rest, PAGE.entries)} more ${noun}`}
        </More>
      )}
    </div>
  )
}

function isFlat(value: Json): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

/** `20`, or `500 of 10,000`. */
function stepOf(rest: number, most: number): string {
  const all = rest.toLocaleString('en')
  return rest > most ? `${most.toLocaleString('en')} of ${all}` : all
}

export function TextValue({ text }: { readonly text: string }): ReactNode {
  const [shown, more] = useFold(text.length, LONG, PAGE.characters)
  if (text === '') return <span className="text-muted-foreground">empty text</span>
  const begin = text.length > shown ? beginningOf(text, shown) : text
  const rest = text.length - begin.length
  const quote = (mark: string): ReactNode =>
    NEEDS_QUOTES.test(text) && <span className="text-muted-foreground">{mark}</span>
  return (
    <span className="min-w-0">
      {quote('“')}
      <ShownText text={begin} />
      {rest === 0 && quote('”')}
      {rest > 0 && (
        <>
          {'… '}
          <More onClick={more}>{`Show ${stepOf(rest, PAGE.characters)} more characters`}</More>
        </>
      )}
      <Addresses text={text} />
    </span>
  )
}

/** The start of a text, without cutting a surrogate pair. */
function beginningOf(text: string, length: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length)
}

/** The hosts of all addresses in a text, including its collapsed part. */
export function Addresses({ text }: { readonly text: string }): ReactNode {
  const all = useMemo(() => webAddressesIn(text), [text])
  const [shown, more] = useFold(all.length, MANY, PAGE.entries)
  const rest = all.length - shown
  return (
    <>
      {all.slice(0, shown).map(({ host, userinfo, foreign, doubtful }) => (
        <span key={host} className="mt-0.5 block text-xs text-muted-foreground">
          leads to{' '}
          <bdi dir="ltr" className="font-mono font-medium [overflow-wrap:anywhere] text-foreground">
            {host}
          </bdi>
          {userinfo && <Warning>the text before the @ is not the host</Warning>}
          {foreign && <Warning>written in letters that may look like others</Warning>}
          {doubtful && <Warning>programs may read this address differently</Warning>}
        </span>
      ))}
      {rest > 0 && <More onClick={more}>{`Show ${stepOf(rest, PAGE.entries)} more hosts it leads to`}</More>}
      <LookAlikes text={text} />
    </>
  )
}

/** Addresses with look-alike letters. */
function LookAlikes({ text }: { readonly text: string }): ReactNode {
  const all = useMemo(() => lookAlikesIn(text), [text])
  const [shown, more] = useFold(all.length, MANY, PAGE.entries)
  const rest = all.length - shown
  return (
    <>
      {all.slice(0, shown).map(({ name, letters }) => (
        <span key={name} className="mt-0.5 block text-xs text-muted-foreground">
          <bdi dir="ltr" className="font-mono font-medium [overflow-wrap:anywhere] text-foreground">
            <ShownText text={name} />
          </bdi>
          <Warning>
            written in letters that may look like others
            {letters.length > 0 && `: ${letters.slice(0, LETTERS).join(', ')}${letters.length > LETTERS ? ', …' : ''}`}
          </Warning>
        </span>
      ))}
      {rest > 0 && <More onClick={more}>{`Show ${stepOf(rest, PAGE.entries)} more such addresses`}</More>}
    </>
  )
}

function Warning({ children }: { readonly children: ReactNode }): ReactNode {
  return <span className="ms-1 text-destructive">· {children}</span>
}

function More({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }): ReactNode {
  return (
    <button
      type="button"
      onClick={onClick}
      className="justify-self-start rounded-sm text-start text-xs text-ring underline decoration-dotted underline-offset-4 outline-none hover:decoration-solid focus-visible:ring-2 focus-visible:ring-ring"
    >
      {children}
    </button>
  )
}
