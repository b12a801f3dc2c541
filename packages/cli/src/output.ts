/** Writes results: for people as text, for programs as JSON. Colours only on a terminal that takes them. */
import { visible } from '@holdpoint/channels'
import type { Io } from './io.ts'

export class Output {
  readonly json: boolean
  readonly #io: Io
  readonly colours: boolean

  constructor(io: Io, json: boolean) {
    this.json = json
    this.#io = io
    this.colours = io.stdout.isTTY === true && !json && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb'
  }

  /** One result: `value` as JSON, or the lines for people. */
  result(value: unknown, lines: readonly string[]): void {
    this.#write(this.json ? [JSON.stringify(value, null, 2)] : lines)
  }

  /** One of many results, as they come: a line of JSON each. */
  item(value: unknown, lines: readonly string[]): void {
    this.#write(this.json ? [JSON.stringify(value)] : lines)
  }

  note(text: string): void {
    this.#io.stderr.write(`${text}\n`)
  }

  bold(text: string): string {
    return this.#paint('1', text)
  }

  dim(text: string): string {
    return this.#paint('2', text)
  }

  good(text: string): string {
    return this.#paint('32', text)
  }

  bad(text: string): string {
    return this.#paint('31', text)
  }

  #paint(code: string, text: string): string {
    return this.colours ? `\u001B[${code}m${text}\u001B[0m` : text
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) this.#io.stdout.write(`${line}\n`)
  }
}

/** Columns, as wide as their cells. The first row has the titles. Text of models cannot move the cursor. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const shown = rows.map((row) => row.map((cell) => visible(cell).replaceAll('\n', ' ')))
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)))
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
