/**
 * Carries a call out on a server, as far as it gets: to a value, to a question (then the call is held, and this runs again
 * with the answer), or to a task that the server works on (then it is looked at again later). Every wait is a hold, so
 * that nothing is lost with the process but the open line to an older server.
 */
import { ask, isObject, later, toolError, type HandlerResult, type Json, type ToolContext } from '@holdpoint/core'
import { ProtocolError, SdkError, SdkErrorCode, type CallToolResult } from '@modelcontextprotocol/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { kept, stateOf, type Answered, type CallState } from './call-state.ts'
import { ServerAway, type Line } from './connection.ts'
import type { Definition } from './definition.ts'
import { answerTo, questionOf, type ElicitAnswer } from './elicitation.ts'
import { askFor } from './input-required.ts'
import { LIMITS } from './limits.ts'
import { OpenCall } from './open-call.ts'
import { valueOf } from './result.ts'
import type { ServerInUse } from './server-in-use.ts'
import { NoTask, taskIn, type Task } from './tasks.ts'

type Context = ToolContext
type Came = Awaited<HandlerResult<Json>>

/** As long as a timer can wait: the time limit of a call is the tool's, and that of a question is the hold's. */
const NO_TIMEOUT = 2_147_483_647
/** How long a task is looked at in one go, before the call is put down as a hold again. */
const LINGER_MS = 15_000
const LONGEST_PAUSE_MS = 5 * 60_000

export async function runCall(server: ServerInUse, definition: Definition, context: Context): Promise<Came> {
  const run = new Run(server, definition, context)
  try {
    return await run.goOn()
  } catch (error) {
    if (context.signal.aborted) throw error
    if (error instanceof ServerAway) return toolError(error.message)
    if (!isAnswer(error) && run.line) server.connection.broken(error, run.line)
    return toolError(`The MCP server "${server.name}" failed: ${server.inShort(error)}`)
  }
}

/** The server said something, if only nonsense; anything else means that the line is broken. */
function isAnswer(error: unknown): boolean {
  if (error instanceof ProtocolError || error instanceof NoTask) return true
  const { InvalidResult, UnsupportedResultType } = SdkErrorCode
  return error instanceof SdkError && (error.code === InvalidResult || error.code === UnsupportedResultType)
}

type Following = Omit<Extract<CallState, { readonly at: 'task' }>, 'at'>

class Run {
  /** What it used last. */
  line: Line | undefined
  readonly #server: ServerInUse
  readonly #definition: Definition
  readonly #context: Context

  constructor(server: ServerInUse, definition: Definition, context: Context) {
    this.#server = server
    this.#definition = definition
    this.#context = context
  }

  goOn(): Came | Promise<Came> {
    const { resumed } = this.#context
    const state = stateOf(resumed?.state)
    switch (state?.at) {
      case undefined:
        return this.#begin([])
      case 'input':
        return this.#answered(state)
      case 'told':
        return this.#tell(state)
      case 'again':
        return this.#send({ requestState: state.requestState }, state.rounds)
      case 'task':
        return this.#orLater(state, () => this.#followTask(state))
      case 'line':
        return this.#backOnLine(state)
      case 'doubt': {
        const { answer } = resumed ?? {}
        const yes = answer?.kind === 'answer' && 'value' in answer && isObject(answer.value) && answer.value['again']
        return yes === true ? this.#begin(state.known) : this.#lost()
      }
    }
  }

  async #begin(known: readonly Answered[]): Promise<Came> {
    const line = await this.#server.lineForCall()
    this.line = line
    return line.era === 'modern' ? this.#send({}, 0) : this.#sendOnLine(line, known)
  }

  // To servers of 2026-07-28

  async #send(
    extra: { readonly requestState?: string; readonly inputResponses?: Readonly<Record<string, ElicitAnswer>> },
    rounds: number,
  ): Promise<Came> {
    const line = await this.#server.connection.line()
    this.line = line
    const { client } = line
    const { signal } = this.#context
    const options = {
      signal,
      timeout: NO_TIMEOUT,
      allowInputRequired: true,
      toolDefinition: this.#bare as never,
      onprogress: (value: unknown) => this.#context.progress(value as Json),
    } as const
    const result = await line.use(() => client.callTool({ ...this.#call, ...extra }, options))
    if ((result as { resultType?: string }).resultType === 'input_required')
      return askFor(this.#server, result as never, rounds)
    return this.#came(result, line)
  }

  #answered(state: Extract<CallState, { at: 'input' }>): Came | Promise<Came> {
    const { key, asked, rounds, requestState, task } = state
    const question = asked[key]
    if (!question) return toolError('The question is not known any more.')
    const answers = { ...state.answers, [key]: answerTo(question, this.#context.resumed?.answer) }
    const open = Object.entries(asked).find(([each]) => !(each in answers))
    if (open) return ask(questionOf(open[1], this.#server.name, kept({ ...state, key: open[0], answers })))
    return this.#tell({
      at: 'told',
      answers,
      rounds,
      since: Date.now(),
      ...(requestState !== undefined && { requestState }),
      ...(task && { task }),
    })
  }

  /** What people said, perhaps days after they were asked. It is not lost because the server is away just now. */
  #tell(state: Extract<CallState, { at: 'told' }>): Promise<Came> {
    const { answers, requestState, task, rounds } = state
    const { signal } = this.#context
    if (task)
      return this.#orLater(state, async () => {
        this.line = await this.#server.lineForTask(task.taskId)
        await this.line.tasks.update(task.taskId, answers, signal)
        const answered = [...task.answered, ...Object.keys(answers)]
        return this.#followTask({ taskId: task.taskId, answered, since: Date.now(), rounds })
      })
    const extra = { inputResponses: answers, ...(requestState !== undefined && { requestState }) }
    return this.#orLater(state, () => this.#isThere()).then((came) => came ?? this.#send(extra, rounds))
  }

  /** Nobody knows of a call that went out and was not answered whether it was heard. So the server is greeted first. */
  async #isThere(): Promise<undefined> {
    this.line = await this.#server.connection.line()
    await this.line.client.discover({ signal: this.#context.signal, timeout: LIMITS.connectMs })
  }

  /** What may be done twice is done again later, when the server is away. */
  async #orLater<T>(state: Extract<CallState, { readonly since: number }>, work: () => Promise<T>): Promise<T | Came> {
    try {
      return await work()
    } catch (error) {
      if (this.#context.signal.aborted || isAnswer(error)) throw error
      const gone = Date.now() - state.since
      if (gone > LIMITS.awayMs) throw error
      if (this.line && !(error instanceof ServerAway)) this.#server.connection.broken(error, this.line)
      const after = Math.ceil(Math.min(Math.max(gone / 4, LIMITS.firstPauseMs), LIMITS.longestPauseMs))
      const reason = `The MCP server "${this.#server.name}" is away, and is tried again.`
      return later({ after, reason, state: kept(state) })
    }
  }

  // Tasks of both generations

  /** Stored before anybody is told: the id is in the log with the hold, and beside it to be called off by. */
  async #came(result: CallToolResult, line: Line): Promise<Came> {
    const task = taskIn(result)
    if (!task) return valueOf(result)
    const { conversation, call } = this.#context
    await this.#server.watch.keepTask(conversation, call.id, this.#server.key, task.taskId)
    this.#server.taskBegan(task.taskId, line)
    this.#server.watchTask(conversation, call.id, task.taskId)
    return this.#lookLater(task, { taskId: task.taskId, answered: [], since: Date.now(), rounds: 0 }, task.pollMs)
  }

  #lookLater({ message }: Task, so: Following, after: number): Came {
    const reason = message ?? `The MCP server "${this.#server.name}" works on it.`
    return later({ after, reason, state: kept({ at: 'task', ...so }) })
  }

  async #followTask(so: Following): Promise<Came> {
    const { taskId, since, answered, rounds } = so
    const { signal, conversation, call } = this.#context
    const line = await this.#server.lineForTask(taskId)
    this.line = line
    this.#server.watchTask(conversation, call.id, taskId)
    const until = Date.now() + LINGER_MS
    for (;;) {
      const task = await line.tasks.get(taskId, signal)
      if (task.message !== undefined) this.#context.progress({ status: task.status, message: task.message })
      if (task.status === 'input_required' && line.era === 'legacy') return this.#resultOnLine(line, task, so)
      const questions = Object.keys(task.inputRequests).filter((key) => !answered.includes(key))
      if (task.status === 'input_required' && questions.length > 0) return askFor(this.#server, task, rounds, so)
      if (task.status !== 'working' && task.status !== 'input_required') return this.#taskOver(line, task)
      if (Date.now() - since > this.#server.taskTimeoutMs)
        return toolError(`The MCP server "${this.#server.name}" took longer than ${this.#server.taskTimeoutMs} ms.`)
      // The longer it takes, the less often it is looked at.
      if (Date.now() + task.pollMs > until) {
        const pause = Math.min(Math.max(task.pollMs, (Date.now() - since) / 4), LONGEST_PAUSE_MS)
        return this.#lookLater(task, so, Math.ceil(pause))
      }
      await sleep(task.pollMs, undefined, { signal })
    }
  }

  async #taskOver(line: Line, task: Task): Promise<Came> {
    const { signal, conversation, call } = this.#context
    const completed = task.status === 'completed'
    const result = completed ? (task.result ?? (await line.tasks.result(task.taskId, signal, 30_000))) : undefined
    this.#server.taskEnded(task.taskId)
    await this.#server.watch.forgetTask(conversation, call.id)
    if (result) return valueOf(result)
    return toolError(
      `The MCP server "${this.#server.name}" says the task ${task.status}: ${task.message ?? 'no reason'}`,
    )
  }

  // To older servers, on an open line

  #sendOnLine(line: Line, known: readonly Answered[]): Promise<Came> {
    const task = this.#definition.task && line.client.getServerCapabilities()?.tasks ? { task: {} } : {}
    const open = new OpenCall(line, (signal, onprogress) =>
      line.client.callTool(
        { ...this.#call, ...task },
        {
          signal,
          timeout: NO_TIMEOUT,
          onprogress,
          toolDefinition: this.#bare as never,
        },
      ),
    )
    return this.#followLine(open, known, undefined, Date.now())
  }

  async #resultOnLine(line: Line, task: Task, so: Following): Promise<Came> {
    const { taskId } = task
    // Behind a process, a question would not say which of two calls it is for.
    if (line.stdio && this.#server.open.on(line).length > 0) return this.#lookLater(task, so, task.pollMs)
    const open = new OpenCall(line, (signal) => line.tasks.result(taskId, signal, NO_TIMEOUT))
    return this.#followLine(open, [], taskId, so.since)
  }

  /** Until it is over, or the next question. What was said to the same question before the line broke is said again. */
  async #followLine(
    open: OpenCall,
    known: readonly Answered[],
    taskId: string | undefined,
    since: number,
  ): Promise<Came> {
    const { signal, conversation, call } = this.#context
    this.#server.open.add(open)
    open.progress = (value) => this.#context.progress(value as Json)
    const stop = (): void => open.abort()
    signal.addEventListener('abort', stop, { once: true })
    let held = false
    try {
      for (;;) {
        const next = await open.next()
        if (next.kind === 'failed') throw next.error
        if (next.kind === 'result') {
          if (taskId !== undefined) {
            this.#server.taskEnded(taskId)
            await this.#server.watch.forgetTask(conversation, call.id)
          }
          return await this.#came(next.result, open.line)
        }
        const before = known.find(({ asked }) => JSON.stringify(asked) === JSON.stringify(next.asked))
        if (before) {
          open.answer(before.answer)
          continue
        }
        held = true
        this.#server.holdLine(open, conversation, call.id)
        const state: CallState = {
          at: 'line',
          token: open.token,
          asked: next.asked,
          known,
          since,
          ...(taskId !== undefined && { taskId }),
        }
        return ask(questionOf(next.asked, this.#server.name, kept(state)))
      }
    } finally {
      signal.removeEventListener('abort', stop)
      if (!held) await this.#server.release(open)
    }
  }

  #backOnLine(state: Extract<CallState, { at: 'line' }>): Came | Promise<Came> {
    const { asked, token, taskId, since } = state
    const answer = answerTo(asked, this.#context.resumed?.answer)
    const known = [...state.known, { asked, answer }]
    const open = this.#server.open.get(token)
    if (open) {
      this.#server.watch.forget(this.#context.conversation, this.#context.call.id)
      open.answer(answer)
      return this.#followLine(open, known, taskId, since)
    }
    if (taskId !== undefined) return this.#followTask({ taskId, since, answered: [], rounds: 0 })
    switch (this.#server.onLost) {
      case 'retry':
        return this.#begin(known)
      case 'fail':
        return this.#lost()
      case 'ask':
        return ask({
          prompt: `The line to the MCP server "${this.#server.name}" was lost while "${asked.message}" waited for its answer. It may or may not have done something. Begin anew?`,
          schema: { type: 'object', properties: { again: { type: 'boolean' } }, required: ['again'] },
          metadata: { from: this.#server.name, mode: 'doubt' },
          state: kept({ at: 'doubt', known }),
        })
    }
  }

  #lost(): Came {
    return toolError(
      `The line to the MCP server "${this.#server.name}" was lost while it waited for an answer. It may or may not have done its work.`,
    )
  }

  get #call(): {
    readonly name: string
    readonly arguments: Record<string, unknown>
    readonly _meta: Record<string, unknown>
  } {
    const { input, call } = this.#context
    return {
      name: this.#definition.name,
      arguments: input as Record<string, unknown>,
      // The same at every attempt, for servers that care.
      _meta: { 'holdpoint/callId': call.id },
    }
  }

  /** Without the output schema, which is checked by ourselves, within limits. */
  get #bare(): { readonly name: string; readonly inputSchema: unknown } {
    return { name: this.#definition.name, inputSchema: this.#definition.inputSchema }
  }
}
