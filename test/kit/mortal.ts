/** A store for a simulated process: after `kill()`, no pending promise resolves, no new write happens, and no notification is sent. */
import type { Append, Appended } from '@holdpoint/core'
import type { Model, Ports, Store, Tool } from 'holdpoint'

export type Question = Exclude<keyof Store, 'listen'>

/** Hooks around each request to the store. An error or another result looks like one of the store. */
export interface Around {
  before?(question: Question, given: readonly unknown[], life: Life): unknown
  /** The process gets no notifications of other writers, so it must poll. */
  readonly deaf?: boolean
  /** The store has finished, and the process has not received the result yet. */
  after?(question: Question, given: readonly unknown[], life: Life, answer: unknown): unknown
}

const QUESTIONS: readonly Question[] = [
  'append',
  'load',
  'follow',
  'batches',
  'inspect',
  'read',
  'readBack',
  'readCall',
  'findCall',
  'findKey',
  'heads',
  'note',
  'notes',
  'put',
  'get',
  'documents',
  'sweep',
  'pending',
  'list',
  'usage',
  'walk',
  'beat',
  'leave',
  'due',
  'takeOver',
  'close',
]

export class Life {
  dead = false
  readonly #died: () => void
  /** The number of pending requests to the store. */
  asking = 0

  constructor(died: () => void) {
    this.#died = died
  }

  kill(): void {
    if (this.dead) return
    this.dead = true
    this.#died()
  }

  /** Passes on the result, unless the process dies first. */
  live<T>(work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.dead) return
      const doing = (async () => work())()
      doing.then(
        (value) => this.dead || resolve(value),
        (error: unknown) => this.dead || reject(error as Error),
      )
    })
  }

  store(inner: Store, around: Around, asked: (question: Question, given: readonly unknown[]) => void): Store {
    const ask = async (question: Question, given: readonly unknown[]): Promise<unknown> => {
      asked(question, given)
      const instead = await around.before?.(question, given, this)
      if (this.dead) return undefined
      const act = inner[question] as (...args: readonly unknown[]) => Promise<unknown>
      const answer = instead ?? (await act(...given))
      return (await around.after?.(question, given, this, answer)) ?? answer
    }
    const questions = QUESTIONS.map((question) => [
      question,
      async (...given: readonly unknown[]) => {
        this.asking++
        try {
          return await this.live(() => ask(question, given))
        } finally {
          this.asking--
        }
      },
    ])
    return {
      ...(Object.fromEntries(questions) as Omit<Store, 'listen'>),
      ...(inner.files && { files: () => inner.files!() }),
      listen: (changed) => inner.listen((what, seq, look) => this.dead || around.deaf || changed(what, seq, look)),
    }
  }

  ports(inner: Ports): Ports {
    return { ...inner, sleep: (ms, signal) => this.live(() => inner.sleep(ms, signal)) }
  }

  model(inner: Model): Model {
    const live = this.live.bind(this)
    return {
      id: inner.id,
      async *stream(request) {
        const parts = inner.stream(request)[Symbol.asyncIterator]()
        for (;;) {
          const { done, value } = await live(() => parts.next())
          if (done) return
          yield value
        }
      },
    }
  }

  tool(inner: Tool): Tool {
    const { run } = inner
    return run ? { ...inner, run: (context) => this.live(() => run(context)) } : inner
  }
}

/** Dies right after a write with such an event, before it receives the result. */
export function diesAfter(type: string, nth = 1): Around {
  return onWrite('after', type, nth, (life) => life.kill())
}

/** Dies right before such a write. */
export function diesBefore(type: string, nth = 1): Around {
  return onWrite('before', type, nth, (life) => life.kill())
}

export function onWrite(when: 'before' | 'after', type: string, nth: number, act: (life: Life) => unknown): Around {
  let met = 0
  return {
    [when]: (question: Question, given: readonly unknown[], life: Life, answer?: unknown) => {
      if (question !== 'append' || (when === 'after' && (answer as Appended).result !== 'ok')) return undefined
      const { events } = given[0] as Append
      met += events.filter((event) => event.type === type).length
      return events.some((event) => event.type === type) && met >= nth ? act(life) : undefined
    },
  }
}
