/**
 * What the inbox shows and what its keys do, without a terminal. An answer applies to what was shown: a hold cannot be
 * approved before the end of its arguments was on the screen, and one that changes must be read again.
 */
import type { HoldRow, Resolution, ResolveResult } from '@holdpoint/client'
import { messageOf } from '@holdpoint/core'
import type { Json } from 'holdpoint'
import {
  answerForm,
  changeField,
  editForm,
  readForm,
  refusedForm,
  stepInForm,
  typeInForm,
  type HoldForm,
} from './hold-form.ts'
import { holdLines, type HoldLine } from './hold-lines.ts'
import { insertText, typedText, typeKey, type PressedKey, type TypedText } from './typed-text.ts'

export type InboxMode =
  | { readonly kind: 'reading' }
  /** `a` was pressed; Enter approves. */
  | { readonly kind: 'approving' }
  | { readonly kind: 'rejecting'; readonly reason: TypedText }
  | { readonly kind: 'answering' | 'editing'; readonly form: HoldForm }
  | { readonly kind: 'sending' }

export interface Notice {
  readonly look: 'good' | 'bad'
  readonly text: string
}

export interface InboxOptions {
  readonly decide: (hold: HoldRow, resolution: Resolution) => Promise<ResolveResult>
  readonly leave: () => void
  readonly onChange: () => void
}

const READING: InboxMode = { kind: 'reading' }

export class InboxState {
  readonly #options: InboxOptions
  holds: readonly HoldRow[] = []
  /** There are more than were read. */
  more = false
  loading = true
  /** Why the list is not that of now. */
  problem: string | undefined
  open: HoldRow | undefined
  mode: InboxMode = READING
  notice: Notice | undefined
  /** The first of the lines of the open hold that is on the screen. */
  offset = 0
  /** The rows of the open hold that were on the screen, from the first one on without a gap. */
  #shown = { of: '', rows: 0, isWhole: false }
  /** The place of the open hold in the list, also after it is over. */
  #at = 0
  #changed: { readonly of: string; readonly input: Json } | undefined
  /** Kept: a long hold takes time to fold. */
  #lines: {
    readonly of?: HoldRow
    readonly changed?: Json | undefined
    readonly width?: number
    readonly lines: readonly HoldLine[]
  } = { lines: [] }
  #width = 80
  #height = 0

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** The open hold was answered elsewhere, or it expired. It stays until another is opened. */
  get gone(): boolean {
    const { open } = this
    return open !== undefined && !this.holds.some((hold) => keyOf(hold) === keyOf(open))
  }

  get changed(): Json | undefined {
    return this.open && this.#changed?.of === boundTo(this.open) ? this.#changed.input : undefined
  }

  get lines(): readonly HoldLine[] {
    const { open, changed } = this
    if (!open) return []
    if (this.#lines.of !== open || this.#lines.changed !== changed || this.#lines.width !== this.#width)
      this.#lines = { of: open, changed, width: this.#width, lines: holdLines(open, this.#width, changed) }
    return this.#lines.lines
  }

  get isSeen(): boolean {
    return this.#shown.isWhole && this.#shown.of === this.#toSee()
  }

  /** The newest list. The open hold keeps its place; one that changed must be read again. */
  show(holds: readonly HoldRow[], more: boolean, problem: string | undefined): void {
    const { open } = this
    this.holds = holds
    this.more = more
    this.loading = false
    this.problem = problem
    const now = open && holds.find((hold) => keyOf(hold) === keyOf(open))
    if (open && now) {
      this.open = now
      this.#at = holds.indexOf(now)
      if (boundTo(now) !== boundTo(open)) {
        this.offset = 0
        if (this.mode.kind !== 'sending') this.mode = READING
        this.#say('bad', 'This hold changed. Read it again.')
      }
    } else if (open === undefined) this.#opens(holds[0])
    else if (this.mode.kind !== 'sending') this.mode = READING
    this.#options.onChange()
  }

  /** How much of the open hold is on the screen. Called after it was drawn. */
  drawn(width: number, height: number): void {
    // Other rows: which of them were on the screen is not known.
    if (width !== this.#width && !this.isSeen) this.#shown = { of: '', rows: 0, isWhole: false }
    this.#width = width
    this.#height = height
    const offset = Math.min(this.offset, this.#lastOffset())
    const of = this.#toSee()
    const before = this.#shown.of === of ? this.#shown : { of, rows: 0, isWhole: false }
    const rows = offset <= before.rows ? Math.max(before.rows, offset + height) : before.rows
    // The last row only says that it is the last.
    const isWhole = before.isWhole || (this.open !== undefined && rows >= this.lines.length - 1)
    const isSame = offset === this.offset && isWhole === this.#shown.isWhole && of === this.#shown.of
    this.offset = offset
    this.#shown = { of, rows, isWhole }
    if (!isSame) this.#options.onChange()
  }

  paste(text: string): void {
    const { mode } = this
    if (mode.kind === 'rejecting') this.mode = { ...mode, reason: insertText(mode.reason, text) }
    if (mode.kind === 'answering' || mode.kind === 'editing')
      this.mode = { ...mode, form: changeField(mode.form, (field) => insertText(field, text)) }
    this.#options.onChange()
  }

  press(input: string, key: PressedKey): void {
    const { mode } = this
    if (key.ctrl && input === 'c') return this.#options.leave()
    if (mode.kind === 'sending') return
    if (key.escape && mode.kind !== 'reading') this.mode = READING
    else if (mode.kind === 'rejecting') this.#reject(mode.reason, input, key)
    else if (mode.kind === 'answering' || mode.kind === 'editing') this.#fill(mode.kind, mode.form, input, key)
    else if (mode.kind === 'approving' && key.return) this.#approve()
    else this.#read(input, key)
    this.#options.onChange()
  }

  #read(input: string, key: PressedKey): void {
    const { open, holds, gone } = this
    this.mode = READING
    const page = Math.max(1, this.#height - 1)
    if (input === 'q') return this.#options.leave()
    if (input === 'j' || key.downArrow) return this.#step(1)
    if (input === 'k' || key.upArrow) return this.#step(-1)
    if (input === ' ' || key.pageDown) return this.#scroll(page)
    if (input === 'b' || key.pageUp) return this.#scroll(-page)
    if (key.home) return this.#scroll(-Infinity)
    if (key.end) return this.#scroll(Infinity)
    if (key.escape) this.#changed = undefined
    if (!/^[aer]$/.test(input) || open === undefined) return
    if (gone) return this.#say('bad', holds.length > 0 ? 'It is over. Press j for another.' : 'It is over.')
    const refusal = this.#refusal(open, input)
    if (refusal !== undefined) return this.#say('bad', refusal)
    this.notice = undefined
    if (input === 'r') this.mode = { kind: 'rejecting', reason: typedText() }
    else if (input === 'e') this.mode = { kind: 'editing', form: editForm(open, this.changed ?? open.input) }
    else if (open.accepts.includes('approve')) this.mode = { kind: 'approving' }
    else if (open.url === undefined) this.mode = { kind: 'answering', form: answerForm(open) }
    else this.mode = { kind: 'approving' }
  }

  /** Why this key does nothing to this hold. */
  #refusal({ accepts, may }: HoldRow, input: string): string | undefined {
    const why = may?.why ?? 'You may not decide this.'
    if (input === 'r') {
      if (!accepts.includes('reject')) return 'This hold cannot be rejected.'
      return may?.resolve === false ? why : undefined
    }
    if (input === 'e' && !accepts.includes('approve')) return 'Only an approval has arguments to edit.'
    if (!accepts.includes('approve') && !accepts.includes('answer')) return 'This waits for a program.'
    const isAllowed = accepts.includes('approve') ? may?.approve : may?.resolve
    if (isAllowed === false) return why
    return this.isSeen ? undefined : 'Read all of it first: Space shows more.'
  }

  #approve(): void {
    const { open, changed } = this
    if (!open || this.gone || !this.isSeen) return void (this.mode = READING)
    if (!open.accepts.includes('approve')) return this.#send(open, { kind: 'answer', value: true }, READING)
    this.#send(open, { kind: 'approve', ...(changed !== undefined && { input: changed }) }, READING)
  }

  #reject(reason: TypedText, input: string, key: PressedKey): void {
    const { open } = this
    if (!key.return || key.meta) {
      const typed = key.return ? insertText(reason, '\n') : typeKey(reason, input, key)
      this.mode = { kind: 'rejecting', reason: typed }
    } else if (open) {
      const text = reason.text.trim()
      this.#send(open, { kind: 'reject', ...(text !== '' && { reason: text }) }, { kind: 'rejecting', reason })
    }
  }

  #fill(kind: 'answering' | 'editing', form: HoldForm, input: string, key: PressedKey): void {
    if (key.pageDown || key.pageUp) return this.#scroll(key.pageDown ? this.#height : -this.#height)
    const back = key.upArrow || (key.tab && key.shift)
    if (back || key.downArrow || key.tab) this.mode = { kind, form: stepInForm(form, back ? -1 : 1) }
    else if (key.return && key.meta) this.mode = { kind, form: changeField(form, (field) => insertText(field, '\n')) }
    else if (!key.return) this.mode = { kind, form: typeInForm(form, input, key) }
    else if (form.at < form.fields.length - 1) this.mode = { kind, form: stepInForm(form, 1) }
    else this.#submit(kind, form)
  }

  #submit(kind: 'answering' | 'editing', form: HoldForm): void {
    const { open } = this
    const read = readForm(form)
    if ('wrong' in read) return void (this.mode = { kind, form: read.wrong })
    if (!open) return
    if (kind === 'answering') return this.#send(open, { kind: 'answer', value: read.value }, { kind, form })
    this.#changed = { of: boundTo(open), input: read.value }
    this.mode = READING
    this.offset = 0
    this.#say('good', 'Nothing was sent yet. Read the arguments; a and Enter approve them, Escape drops them.')
  }

  /** `back`: what is shown again when the answer was not taken as it is. */
  #send(hold: HoldRow, resolution: Resolution, back: InboxMode): void {
    this.mode = { kind: 'sending' }
    this.notice = undefined
    const options = this.#options
    const answered = async (): Promise<readonly [Notice, InboxMode]> => {
      try {
        return answerOf(resolution.kind, await options.decide(hold, resolution), back)
      } catch (error) {
        return [{ look: 'bad', text: `It may or may not have been saved: ${messageOf(error)}` }, back]
      }
    }
    void answered().then(([notice, mode]) => {
      this.mode = this.gone ? READING : mode
      this.notice = notice
      options.onChange()
    })
  }

  #step(by: 1 | -1): void {
    const { holds } = this
    // When the open hold is over, the next one has moved to its place.
    const to = this.#at + (this.gone && by === 1 ? 0 : by)
    const next = holds[Math.max(0, Math.min(holds.length - 1, to))]
    if (next && next !== this.open) this.#opens(next)
  }

  #opens(hold: HoldRow | undefined): void {
    this.open = hold
    this.#at = hold ? this.holds.indexOf(hold) : 0
    this.offset = 0
    this.notice = undefined
  }

  #scroll(by: number): void {
    this.offset = Math.max(0, Math.min(this.#lastOffset(), this.offset + by))
  }

  #lastOffset(): number {
    return Math.max(0, this.lines.length - this.#height)
  }

  #toSee(): string {
    return this.open ? `${boundTo(this.open)} ${JSON.stringify(this.changed)}` : ''
  }

  #say(look: Notice['look'], text: string): void {
    this.notice = { look, text }
  }
}

/** What to say, and what is shown: the form again when the tool refused what is in it. */
function answerOf(
  kind: Resolution['kind'],
  { verdict, message, remaining = 0 }: ResolveResult,
  back: InboxMode,
): readonly [Notice, InboxMode] {
  const needed = remaining > 0 ? ` ${remaining} more must approve.` : ''
  if (verdict === 'accepted') return [{ look: 'good', text: `Saved: ${kind}.${needed}` }, READING]
  const form = verdict === 'invalid' && back.kind === 'answering' ? refusedForm(back.form, message) : undefined
  return [{ look: 'bad', text: `Not saved (${verdict}): ${message}` }, form ? { kind: 'answering', form } : READING]
}

export function keyOf({ conversationId, callId, nth }: HoldRow): string {
  return JSON.stringify([conversationId, callId, nth])
}

/** What an answer is bound to. An endorsement counts too: the last of them makes the call run. */
function boundTo(hold: HoldRow): string {
  return JSON.stringify([keyOf(hold), hold.inputHash, hold.fingerprint, hold.endorsedBy.length])
}
