/**
 * A hold as rows of a terminal, with all of its arguments. Every row that continues the one above begins with `> `: without
 * that, a long text could be folded into rows that look like other arguments or other facts.
 */
import { visible } from '@holdpoint/channels'
import type { HoldRow } from '@holdpoint/client'
import { sameJson } from '@holdpoint/core'
import type { Json } from 'holdpoint'
import { holdFacts } from '../hold-facts.ts'
import { foldText } from './fold-text.ts'

export interface HoldLine {
  readonly text: string
  readonly look: 'title' | 'fact' | 'value' | 'end'
}

/** `changed`: the arguments that the person wants instead. */
export function holdLines(hold: HoldRow, width: number, changed?: Json): readonly HoldLine[] {
  const { name, input, proposed, comments = [] } = hold
  const rows = (look: HoldLine['look'], text: string): readonly HoldLine[] =>
    visible(text)
      .split('\n')
      .flatMap((line) => foldText(line, width - 2))
      .map((row, index) => ({ look, text: `${index === 0 ? '  ' : '> '}${row}` }))
  // A line of formatted JSON is a row of its own: texts in it have no line breaks.
  const json = (value: Json): readonly HoldLine[] =>
    JSON.stringify(value, null, 2)
      .split('\n')
      .flatMap((line) => rows('value', line))
  return [
    ...rows('title', name),
    ...holdFacts(hold).flatMap(([title, text]) => rows('fact', `${title}: ${text}`)),
    ...rows('title', changed === undefined ? 'Arguments:' : 'Arguments, as you changed them:'),
    ...json(changed ?? input),
    ...(changed === undefined ? [] : [...rows('title', 'Arguments before:'), ...json(input)]),
    ...(sameJson(proposed, input) ? [] : [...rows('title', 'The model wrote:'), ...json(proposed)]),
    ...comments.flatMap(({ by, text }) => rows('fact', `comment of ${by ?? 'someone'}: ${text}`)),
    { look: 'end', text: '  -- end --' },
  ]
}
