/**
 * One end of what the two threads talk over. Beside the messages there is a count of them that both can see: to look at
 * it costs next to nothing, where looking for a message that is not there yet keeps the other thread from sending it.
 */
import { availableParallelism } from 'node:os'
import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads'

declare global {
  /** Every Node that we run on has it; TypeScript does not know of it yet. */
  interface Atomics {
    pause(): void
  }
}

/** With a single core, an end that stays awake to look keeps the other from saying anything. */
export const MANY_CORES: boolean = availableParallelism() > 1

/** What an end is made of, as it can be handed to the other thread. */
export interface LineEnd {
  readonly port: MessagePort
  /** How many messages either end has sent. */
  readonly sent: Int32Array<SharedArrayBuffer>
  readonly end: 0 | 1
}

export function lineEnds(): readonly [LineEnd, LineEnd] {
  const { port1, port2 } = new MessageChannel()
  const sent = new Int32Array(new SharedArrayBuffer(8))
  return [
    { port: port1, sent, end: 0 },
    { port: port2, sent, end: 1 },
  ]
}

export class Line<Said, Heard> {
  readonly #port: MessagePort
  readonly #sent: Int32Array
  readonly #end: 0 | 1
  #taken = 0

  constructor({ port, sent, end }: LineEnd, hear: (message: Heard) => void) {
    this.#port = port
    this.#sent = sent
    this.#end = end
    port.on('message', (message: Heard) => {
      this.#taken++
      hear(message)
    })
  }

  say(message: Said): void {
    this.#port.postMessage(message)
    Atomics.add(this.#sent, this.#end, 1)
  }

  /** What has come, before the event loop would bring it. */
  take(): Heard | undefined {
    // As 32 bits: the count starts over when they are full.
    const there = (Atomics.load(this.#sent, 1 - this.#end) - this.#taken) | 0
    return there > 0 ? this.takeLast() : undefined
  }

  /** The same for who looks again and again: in between, what the two threads may share of a core is the other's. */
  takeSoon(): Heard | undefined {
    const told = this.take()
    if (told === undefined) Atomics.pause()
    return told
  }

  /** The same from an end that may have died before it counted. */
  takeLast(): Heard | undefined {
    const told = receiveMessageOnPort(this.#port)
    if (told) this.#taken++
    return told?.message as Heard | undefined
  }

  /** It alone keeps no process alive. */
  unref(): void {
    this.#port.unref()
  }

  close(): void {
    this.#port.close()
  }
}
