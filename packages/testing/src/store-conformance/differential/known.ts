/** What random commands know from the results of earlier ones. */
import type { Address, Append, Appended, PutResult } from '@holdpoint/core'
import { NOON } from '../drafts.ts'
import { STEP_MS, type Command } from './command.ts'

export const CALLS: readonly string[] = ['x', 'y', 'z', 'odd \u0000 \ud800']
export const KEYS: readonly string[] = ['k', 'K', '', '\u0000']
export const NOTES: readonly string[] = ['summary', 'odd \u0000 \udc00']
export const DOCUMENTS: readonly string[] = ['a', 'ab', 'b', 'A', '', 'a\ud83d', 'a🙂', 'a\u0000', 'a\uffff']
export const LABELS: readonly string[] = [
  'ada',
  'bob',
  'ADA',
  '',
  'odd \u0000 \ud800 \u001f =',
  'odd \u0000 \udc00 \u001f =',
]

/** The results of the commands so far. Names end in the seed, so that many runs can use the same store. */
export class Known {
  readonly tenants: readonly string[]
  readonly addresses: readonly Address[]
  readonly agents: readonly string[]
  readonly writes: Append[] = []
  readonly calls: readonly string[] = CALLS
  readonly keys: readonly string[] = KEYS
  readonly notes: readonly string[] = NOTES
  readonly documents: readonly string[] = DOCUMENTS
  readonly labels: readonly string[] = LABELS
  readonly #heads = new Map<Address, number>()
  readonly #epochs = new Map<Address, number>()
  readonly #left: string[] = []
  /** The last known version of each document. */
  readonly #versions = new Map<string, number>()
  readonly #seed: number
  #generation = 0
  #writes = 0
  /** Steps of time since the start. */
  steps = 0

  constructor(seed: number) {
    this.#seed = seed
    this.tenants = [`~${seed}`, `odd ' \u0000~${seed}`]
    this.addresses = this.tenants.flatMap((tenant) => ['c', 'C', 'odd \ud800'].map((id) => ({ tenant, id })))
    this.agents = ['desk', 'sales'].map((agent) => `${agent}~${seed}`)
  }

  /** The name of a node that left is not reused: the contract does not say whether it would own its conversations again. */
  get nodes(): readonly string[] {
    return ['a', 'b', 'c'].map((name) => `${name}${this.#generation}~${this.#seed}`)
  }

  get gone(): readonly string[] {
    return this.#left
  }

  headOf(address: Address): number {
    return this.#heads.get(address) ?? 0
  }

  epochOf(address: Address): number {
    return this.#epochs.get(address) ?? 0
  }

  versionOf(id: string): number {
    return this.#versions.get(id) ?? 0
  }

  /** Each write has a later time, so that the order by age is always clear. */
  time(): number {
    return NOON + ++this.#writes * 100
  }

  learn(command: Command, answer: unknown): void {
    if (command.ask === 'put') this.#versions.set(command.put.id, (answer as PutResult).version)
    if (command.ask === 'append') this.#learnAppend(command.write, answer as Appended)
    if (command.ask === 'takeOver' && typeof answer === 'number') this.#epochs.set(command.what, answer)
    if (command.ask === 'advance') this.steps += command.ms / STEP_MS
    if (command.ask === 'leave') {
      this.#left.push(...this.nodes)
      this.#generation++
    }
  }

  #learnAppend(write: Append, answer: Appended): void {
    this.writes.push(write)
    if (answer.result !== 'ok') return
    const head = write.expectedSeq + write.events.length
    this.#heads.set(write.to, Math.max(head, this.headOf(write.to)))
    this.#epochs.set(write.to, answer.epoch)
  }
}
