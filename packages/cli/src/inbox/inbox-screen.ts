/** The inbox as a component of Ink. Without JSX, because Node runs the sources as they are. */
import { createElement, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { Box, Text, useInput, usePaste, useWindowSize, type TextProps } from 'ink'
import { inboxRows, type Row } from './inbox-rows.ts'
import type { InboxState } from './inbox-state.ts'

export interface InboxScreenProps {
  readonly state: InboxState
  readonly subscribe: (listener: () => void) => () => void
  /** Another number after each change of `state`. */
  readonly version: () => number
  readonly where: string
  readonly colours: boolean
}

/** How often the time that is left is drawn again. */
const TICK_MS = 10_000

export function InboxScreen({ state, subscribe, version, where, colours }: InboxScreenProps): ReactNode {
  useSyncExternalStore(subscribe, version)
  const now = useNow()
  const { columns, rows: lines } = useWindowSize()
  useInput((input, key) => state.press(input, key))
  usePaste((text) => state.paste(text))
  // Ink scrolls when a frame is as high as the terminal.
  const { rows, width, height } = inboxRows(state, where, columns, lines - 1, now)
  useEffect(() => state.drawn(width, height))
  return createElement(
    Box,
    { flexDirection: 'column', width: columns },
    ...rows.map((row, index) => createElement(RowText, { key: index, row, colours })),
  )
}

const STYLES: Readonly<Record<NonNullable<Row['look']>, TextProps>> = {
  bold: { bold: true },
  dim: { dimColor: true },
  good: { color: 'green' },
  bad: { color: 'red' },
  chosen: { inverse: true },
}

function RowText({ row, colours }: { readonly row: Row; readonly colours: boolean }): ReactNode {
  const { text, look, cursor } = row
  const style = look && colours ? STYLES[look] : {}
  if (!cursor) return createElement(Text, { ...style, wrap: 'truncate' }, text === '' ? ' ' : text)
  const [before, under, after] = [text.slice(0, cursor[0]), text.slice(...cursor), text.slice(cursor[1])]
  const mark = colours ? createElement(Text, { inverse: true }, under) : `|${under}`
  return createElement(Text, { wrap: 'truncate' }, before, mark, after)
}

function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
