/**
 * Writes one message of an AI SDK front end: compares what the front end shows with what the conversation has, and yields the
 * chunks that change the first into the second. So a stream that starts in the middle, a replay and a correction are one code.
 *
 * The wire can only add to the newest step or empty it (`reset-step`). In earlier steps only calls can change.
 */
import { sameJson, type Json } from '@holdpoint/core'
import type { TurnStep } from './turn-steps.ts'
import { toolChunks } from './tool-chunks.ts'
import {
  isDataPart,
  isToolPart,
  type UiStreamPart,
  type UiDataPart,
  type UiPart,
  type UiToolPart,
} from './ui-message.ts'

type Block = Extract<UiPart, { readonly type: 'text' | 'reasoning' }>
type Piece = Exclude<UiPart, UiToolPart | UiDataPart>

/** Of a step that the conversation does not have. */
const NO_STEP = -1

interface ShownStep {
  readonly step: TurnStep['step']
  /** Text, files and sources, in their order. */
  pieces: Piece[]
  readonly tools: Map<string, ShownTool>
  readonly data: Map<string, Json>
}

interface ShownTool {
  part: UiToolPart
  /** This stream wrote the beginning of the input, so that it can be continued. */
  readonly begun: boolean
}

/** What a front end shows that comes back to an answer, of which it got only a part. */
export interface Resumption {
  /** It has the steps up to this one. */
  readonly after: number
  /**
   * `next`: and nothing more. `again`: a part of the step after it, which is written again from its beginning. `calls`: the steps
   * themselves, but not the newest states of their calls.
   */
  readonly how: 'next' | 'again' | 'calls'
}

export interface MessageWriterOptions {
  /** How many steps may begin. Before a further one, the writer pauses: it writes nothing more. */
  readonly begins?: number
  readonly resumed?: Resumption | undefined
}

export class MessageWriter {
  #steps: ShownStep[]
  #begins: number
  #paused = false
  /** What the turn is about, before its first step. */
  readonly #about: Pick<ShownStep, 'data'>
  /** The id of the text block that is still open in the newest step, by its place. */
  readonly #open = new Map<number, string>()
  #blocks = 0
  /** A step was started in this stream. */
  #started = false

  /** `known`: the parts of the message that the front end already shows; `steps`: the conversation's, to compare them with. */
  constructor(
    known: readonly UiPart[] = [],
    steps: readonly TurnStep[] = [],
    { begins = Infinity, resumed }: MessageWriterOptions = {},
  ) {
    this.#begins = begins
    this.#about = shownStep(0, known.filter(isDataPart))
    this.#steps = resumed ? resumedSteps(steps, resumed) : shownSteps(known, steps)
    if (resumed?.how !== 'again') return
    this.#steps.push(emptyStep(resumed.after + 1))
    this.#started = true
  }

  /** Undefined unless a step is next that may not begin: the number of the last step that was written. */
  get pausedAfter(): number | undefined {
    return this.#paused ? this.lastStep : undefined
  }

  /** The number of the newest step that the front end shows, 0 for none. */
  get lastStep(): number {
    return this.#steps.reduce((last, { step }) => (step === 'end' ? last : Math.max(last, step)), 0)
  }

  write(steps: readonly TurnStep[]): UiStreamPart[] {
    return [...this.#withoutLost(steps), ...steps.flatMap((step) => this.writeStep(step))]
  }

  /** Closes what is open, and the step. */
  close(): UiStreamPart[] {
    return [...this.#closeBlocks(), ...this.#finishStep()]
  }

  /** Starts a step after one whose calls are all finished, so that no front end sends the message again by itself. */
  mark(): UiStreamPart[] {
    this.#begins++
    return this.#begin(emptyStep(NO_STEP))
  }

  /** A step that was being written and is not stored, because the turn was cancelled. */
  #withoutLost(steps: readonly TurnStep[]): UiStreamPart[] {
    const newest = this.#steps.at(-1)
    const lost = newest && this.#started && newest.step !== NO_STEP && !steps.some(({ step }) => step === newest.step)
    return lost && (newest.pieces.length > 0 || newest.tools.size > 0) ? this.#reset(newest) : []
  }

  writeStep({ step, parts }: TurnStep): UiStreamPart[] {
    if (this.#paused) return []
    // No step of the front end's: it would make the step with the open calls one of the earlier steps.
    if (step === 0) return parts.filter(isDataPart).flatMap((part) => dataChunks(this.#about, part))
    const known = this.#steps.find((each) => each.step === step)
    if (!known && parts.length === 0) return []
    const fresh = emptyStep(step)
    const begun = known ? [] : this.#begin(fresh)
    if (this.#paused) return begun
    const shown: ShownStep = known ?? fresh
    const newest = shown === this.#steps.at(-1)
    const reset = newest && differs(shown, parts) ? this.#reset(shown) : []
    const rest = parts.flatMap((part) => (isToolPart(part) || isDataPart(part) ? [] : [part]))
    const order = parts.flatMap((part) => {
      if (isToolPart(part)) return this.#tool(shown, part, newest)
      if (isDataPart(part)) return dataChunks(shown, part)
      return newest ? this.#piece(shown, part, rest.indexOf(part)) : []
    })
    return [...begun, ...reset, ...order]
  }

  #begin(step: ShownStep): UiStreamPart[] {
    const closed = this.close()
    if (this.#begins <= 0) {
      this.#paused = true
      return closed
    }
    this.#begins--
    this.#steps.push(step)
    this.#started = true
    return [...closed, { type: 'start-step' }]
  }

  #finishStep(): UiStreamPart[] {
    if (!this.#started) return []
    this.#started = false
    return [{ type: 'finish-step' }]
  }

  #reset(shown: ShownStep): UiStreamPart[] {
    this.#open.clear()
    shown.pieces = []
    shown.tools.clear()
    shown.data.clear()
    return [{ type: 'reset-step' }]
  }

  #piece(shown: ShownStep, part: Piece, at: number): UiStreamPart[] {
    const before = shown.pieces[at]
    shown.pieces[at] = part
    if (part.type === 'step-start') return []
    if (part.type !== 'text' && part.type !== 'reasoning') return before ? [] : [chunkOf(part)]
    return this.#block(before?.type === part.type ? before : undefined, part, at)
  }

  #block(before: Block | undefined, { type, text, state }: Block, at: number): UiStreamPart[] {
    const id = this.#open.get(at) ?? `${type}-${this.#blocks}`
    const delta = text.slice(before?.text.length ?? 0)
    const chunks: UiStreamPart[] = []
    if (!before) {
      this.#blocks++
      this.#open.set(at, id)
      chunks.push({ type: `${type}-start`, id })
    }
    if (delta !== '') chunks.push({ type: `${type}-delta`, id, delta })
    if (state === 'done' && this.#open.delete(at)) chunks.push({ type: `${type}-end`, id })
    return chunks
  }

  #closeBlocks(): UiStreamPart[] {
    const pieces = this.#steps.at(-1)?.pieces ?? []
    const ends = [...this.#open].flatMap(([at, id]): UiStreamPart[] => {
      const type = pieces[at]?.type
      return type === 'text' || type === 'reasoning' ? [{ type: `${type}-end`, id }] : []
    })
    this.#open.clear()
    return ends
  }

  #tool({ tools }: ShownStep, part: UiToolPart, newest: boolean): UiStreamPart[] {
    const before = tools.get(part.toolCallId)
    if (!before && !newest) return []
    const { chunks, begun } = toolChunks(before?.part, part, { newest, begun: before?.begun ?? false })
    tools.set(part.toolCallId, { part, begun })
    return chunks
  }
}

function dataChunks({ data }: Pick<ShownStep, 'data'>, part: UiDataPart): UiStreamPart[] {
  const key = dataKey(part)
  const before = data.get(key)
  data.set(key, part.data)
  return before !== undefined && sameJson(before, part.data) ? [] : [part]
}

function dataKey({ type, id = '' }: UiDataPart): string {
  return JSON.stringify([type, id])
}

function chunkOf(part: Exclude<Piece, Block | { readonly type: 'step-start' }>): UiStreamPart {
  if (part.type !== 'file' && part.type !== 'reasoning-file') return part
  const { type, mediaType, url } = part
  return { type, mediaType, url }
}

/** Whether the step cannot become this one by additions. */
function differs({ pieces, tools }: ShownStep, parts: readonly UiPart[]): boolean {
  const wanted = parts.filter((part) => !isToolPart(part) && !isDataPart(part)) as readonly Piece[]
  if (pieces.some((piece, index) => !continues(piece, wanted[index]))) return true
  const calls = new Map(parts.flatMap((part) => (isToolPart(part) ? [[part.toolCallId, part] as const] : [])))
  return [...tools].some(([id, { part }]) => calls.get(id)?.type !== part.type)
}

function continues(piece: Piece, wanted: Piece | undefined): boolean {
  if (!wanted || piece.type !== wanted.type) return false
  if (piece.type !== 'text' && piece.type !== 'reasoning') return sameJson(copyOf(piece), copyOf(wanted))
  const { text, state } = wanted as Block
  // A block that is being written only grows. When it begins again, the step was empty in between.
  if (piece.state === 'streaming')
    return state === 'streaming' ? text.length >= piece.text.length : text.startsWith(piece.text)
  return text === piece.text
}

/** As JSON has it: a front end sends no fields that are undefined. */
function copyOf(piece: Piece): Json {
  return JSON.parse(JSON.stringify(chunkOf(piece as Parameters<typeof chunkOf>[0]))) as Json
}

/** The steps as the front end shows them. Empty ones say nothing and are left out, on both sides. */
function shownSteps(known: readonly UiPart[], steps: readonly TurnStep[]): ShownStep[] {
  const numbers = steps.filter(({ parts }) => !parts.every(isDataPart)).map(({ step }) => step)
  const groups: UiPart[][] = []
  for (const part of known) {
    if (part.type === 'step-start' || groups.length === 0) groups.push([])
    if (part.type !== 'step-start') groups.at(-1)?.push(part)
  }
  const shown = groups
    .filter((parts) => parts.some((part) => !isDataPart(part)))
    .map((parts, index) => shownStep(numbers[index] ?? NO_STEP, parts))
  // The mark at the end of a turn, or after an answer that was refused. Calls before it are no longer in the newest step.
  const last = groups.at(-1)
  const marks = last?.every(isDataPart) === true
  return marks ? [...shown, shownStep(shown.length === numbers.length ? 'end' : NO_STEP, last)] : shown
}

function resumedSteps(steps: readonly TurnStep[], { after, how }: Resumption): ShownStep[] {
  return steps
    .filter(({ step, parts }) => step !== 'end' && step > 0 && step <= after && !parts.every(isDataPart))
    .map(({ step, parts }) =>
      shownStep(step, how === 'calls' ? parts.filter((part) => !isDataPart(part)).map(asCalled) : parts),
    )
}

/** Every state that the call reached is written again. */
function asCalled(part: UiPart): UiPart {
  if (!isToolPart(part)) return part
  const { type, toolCallId, input } = part
  return { type, toolCallId, state: 'input-available', ...(input !== undefined && { input }) }
}

function emptyStep(step: TurnStep['step']): ShownStep {
  return { step, pieces: [], tools: new Map(), data: new Map() }
}

function shownStep(step: TurnStep['step'], parts: readonly UiPart[]): ShownStep {
  const pieces = parts.filter((part) => !isToolPart(part) && !isDataPart(part)) as Piece[]
  const tools = parts.filter(isToolPart).map((part) => [part.toolCallId, { part, begun: false }] as const)
  const data = parts.filter(isDataPart).map((part) => [dataKey(part), part.data] as const)
  // Blocks of an earlier stream cannot be continued.
  const closed = pieces.map((piece): Piece => ('state' in piece ? { ...piece, state: 'done' } : piece))
  return { step, pieces: closed, tools: new Map(tools), data: new Map(data) }
}
