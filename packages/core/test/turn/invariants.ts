/** What must hold of any log, checked by reading the log alone: nothing here uses the machine it judges. */
import { isDeepStrictEqual } from 'node:util'
import {
  firedItems,
  fold,
  next,
  renderPrompt,
  type Conversation,
  type Inbound,
  type LogEvent,
  type PromptMessage,
} from '../../src/index.ts'
import type { Told, Walk } from '../../../../test/kit/walk.ts'

/** After a step: what a step left as it was has been checked after the one before. */
export function checkStep(walk: Walk, before: Conversation): void {
  if (walk.state === before) checkVerdicts(walk)
  else checkAll(walk)
}

export function checkAll(walk: Walk): void {
  checkSeq(walk.log)
  checkCalls(walk.log)
  checkResumed(walk)
  checkFold(walk)
  checkModelWaits(walk)
  checkPrompt(renderPrompt([], walk.log))
  checkVerdicts(walk)
  checkPlans(walk.log)
  checkShown(walk)
  checkAskers(walk)
}

/** A turn is about what one author said, also where an answer or a plan led to it; a cycle acts for no person. */
function checkAskers({ log, state, cycles }: Walk): void {
  // By call, by plan, and by the item of a plan that fired.
  const authors = new Map<string, string>()
  let turn: string | undefined
  let last = NO_NAME
  for (const event of log) {
    if (event.type === 'plan.set') authors.set(event.plan.id, turn ?? NO_NAME)
    if (event.type === 'plan.fired')
      for (const { id } of firedItems(event)) authors.set(id, authors.get(event.planId) ?? NO_NAME)
    if (event.type === 'model.replied') {
      for (const part of event.reply.parts) if (part.type === 'call') authors.set(part.callId, turn ?? NO_NAME)
      if (event.reply.parts.length === 0) turn = undefined
    }
    if (event.type === 'turn.ended') turn = undefined
    if (event.type !== 'turn.started') continue
    const its = new Set(event.items.map((item) => authorOf(item, authors)))
    assert(cycles || its.size <= 1, `a turn of several authors: ${[...its].join()}`)
    turn = [...its].at(0) ?? last
    last = turn
  }
  if (state.turn.phase === 'rest') return
  const asker = cycles ? undefined : turn || undefined
  assert(state.turn.by === asker, `the turn is ${state.turn.by}'s, and what led to it is ${asker}'s`)
}

const NO_NAME = ''

function authorOf(item: Inbound, authors: ReadonlyMap<string, string>): string | undefined {
  if (item.kind === 'message') return item.message.by ?? NO_NAME
  return authors.get(item.kind === 'answer' ? item.callId : item.id) ?? NO_NAME
}

/** Each due time of a plan fires once, in order, and none before its time. */
function checkPlans(log: readonly LogEvent[]): void {
  const last = new Map<string, number>()
  for (const event of log) {
    if (event.type !== 'plan.fired') continue
    for (const due of event.due) {
      assert(due > (last.get(event.planId) ?? 0), `plan ${event.planId} fired again for ${due}`)
      assert(due <= event.at, `plan ${event.planId} fired before ${due}`)
      last.set(event.planId, due)
    }
  }
}

/**
 * What spaces are told: an agent comes before it goes; a call that is shown begins once and then ends, and until then it is
 * shown as waiting exactly when it waits.
 */
function checkShown({ heard, state, log }: Walk): void {
  const all = [...heard, ...state.outbox]
  assert(new Set(all.map(({ n }) => n)).size === all.length, 'a notice was told twice')
  const active = new Set<string>()
  const calls = new Map<string, 'begun' | 'ended'>()
  const waits = new Map<string, number | undefined>()
  for (const notice of all) {
    assert('show' in notice, 'a conversation told an agent something')
    const { show, space } = notice
    if (show.type === 'agent.activated') assert(!active.has(space) && active.add(space), `came twice to ${space}`)
    else if (show.type === 'agent.rested') assert(active.delete(space), `left ${space} without being there`)
    else if (show.type === 'tool.started')
      assert(!calls.has(show.toolCallId) && calls.set(show.toolCallId, 'begun'), `${show.toolCallId} began twice`)
    else if (show.type === 'tool.changed')
      assert(calls.get(show.toolCallId) === 'begun', `${show.toolCallId} changed before it began or after its end`)
    else assert(calls.has(show.toolCallId) && calls.set(show.toolCallId, 'ended'), `${show.toolCallId} never began`)
    if (show.type === 'tool.started' || show.type === 'tool.changed') waits.set(show.toolCallId, show.hold?.nth)
  }
  for (const call of state.turn.phase === 'calls' ? state.turn.calls : []) {
    if (!call.inSpace?.shown || (call.at !== 'held' && call.at !== 'running')) continue
    const nth = call.at === 'held' ? call.holds : undefined
    assert(waits.get(call.callId) === nth, `${call.callId} is ${call.at}, and shown as waiting for ${nth}`)
  }
  assert(active.size <= 1, 'in two spaces at once')
  assert(state.turn.phase !== 'rest' || active.size === 0, 'it rests, and is still in a space')
  const shown = new Set<string>()
  for (const event of log) {
    if (event.type === 'model.replied')
      for (const { callId, shown: is } of event.spaces?.calls ?? []) if (is) shown.add(callId)
    if (event.type !== 'call.settled' || !shown.has(event.callId)) continue
    const is = calls.get(event.callId)
    assert(is === (state.waiting.has(event.callId) ? 'begun' : 'ended'), `${event.callId} is ${is}`)
  }
}

function checkSeq(log: readonly LogEvent[]): void {
  log.forEach((event, index) => assert(event.seq === index + 1, `event ${index + 1} has seq ${event.seq}`))
}

/** Follows each call separately: one outcome, never started while held, nothing after the outcome but an async answer. */
function checkCalls(log: readonly LogEvent[]): void {
  const calls = new Map<
    string,
    { held: boolean; gated: boolean; yes: boolean; settled: number; arrived: number; async: boolean; attempt: number }
  >()
  for (const event of log) {
    if (event.type === 'model.replied') {
      for (const part of event.reply.parts) {
        if (part.type === 'call')
          calls.set(part.callId, {
            held: false,
            gated: false,
            yes: false,
            settled: 0,
            arrived: 0,
            async: false,
            attempt: 0,
          })
      }
    }
    if (!('callId' in event)) continue
    const call = calls.get(event.callId)
    assert(call, `${event.type} for a call that was never made`)
    switch (event.type) {
      case 'call.rewritten':
        assert(call.settled === 0 && !call.held, 'rewritten while held, or after its outcome')
        break
      case 'call.held':
        assert(call.settled === 0 && !call.held, 'held after its outcome, or twice')
        call.held = true
        if (!event.hold.resumes) call.gated = event.hold.kind === 'approval'
        if (!event.hold.resumes) call.yes = false
        call.async = event.hold.async === true
        break
      case 'call.endorsed':
        assert(call.held, 'endorsed while not held')
        break
      case 'hold.reminded':
      case 'hold.escalated':
      case 'hold.assigned':
      case 'hold.commented':
        assert(call.held || (call.async && call.arrived === 0), 'about a hold that is not open')
        break
      case 'call.approved':
        assert(call.held && call.settled === 0, 'approved while not held')
        call.held = false
        call.yes = true
        break
      case 'call.resumed':
        assert(call.held && call.settled === 0, 'resumed while not held')
        call.held = false
        break
      case 'call.judged':
        assert(!call.held && call.settled === 0, 'judged while held, or after its outcome')
        break
      case 'call.cleared':
        assert(!call.held && call.settled === 0, 'cleared while held, or after its outcome')
        break
      case 'call.started':
        assert(!call.held, 'a held call was started')
        assert(!call.gated || call.yes, 'a gated call was started without a yes')
        assert(call.settled === 0, 'started after its outcome')
        assert(event.attempt === ++call.attempt, 'attempts are counted from 1')
        break
      case 'call.settled':
        assert(++call.settled === 1, 'a second outcome')
        call.held = false
        break
      case 'answer.arrived':
        assert(call.settled === 1, 'a late answer before the outcome')
        assert(++call.arrived === 1, 'a second late answer')
        break
    }
  }
}

/** A call goes on with the newest word on its newest question, and with what it gave to be kept; and with nothing else. */
function checkResumed({ log, state }: Walk): void {
  const asked = new Map<string, Extract<LogEvent, { type: 'call.held' }>>()
  const goesOn = new Map<string, { readonly state: unknown; readonly answer: unknown; readonly by: unknown }>()
  for (const event of log) {
    if (event.type === 'call.held' && event.hold.resumes) {
      asked.set(event.callId, event)
      goesOn.delete(event.callId)
    }
    if (event.type !== 'call.resumed') continue
    const question = asked.get(event.callId)
    assert(question, 'resumed without having asked')
    const { resumes, expiresAt } = question.hold
    if (event.resolution)
      assert(resumes === 'answer' && event.at < expiresAt, 'an answer to what asked nothing, or late')
    else assert(resumes === 'deadline' && event.at >= expiresAt, 'looked again before its time')
    goesOn.set(event.callId, { state: question.state, answer: event.resolution, by: event.by })
  }
  for (const { callId, resumed } of state.turn.phase === 'calls' ? state.turn.calls : []) {
    const has = resumed && { state: resumed.state, answer: resumed.answer, by: resumed.by }
    assert(isDeepStrictEqual(has, goesOn.get(callId)), `${callId} goes on with ${JSON.stringify(has)}`)
  }
}

function checkFold({ log, state }: Walk): void {
  assert(isDeepStrictEqual(fold(log), state), 'the state rebuilt from the log differs from the live one')
}

/** The model is asked only when every call of every reply has its outcome, and a turn that is at rest left none open. */
function checkModelWaits({ log, state }: Walk): void {
  const open = new Set<string>()
  for (const event of log) {
    if (event.type === 'model.replied')
      for (const part of event.reply.parts) if (part.type === 'call') open.add(part.callId)
    if (event.type === 'call.settled') open.delete(event.callId)
    if (event.type === 'model.replied' && !event.reply.parts.some((part) => part.type === 'call'))
      assert(open.size === 0, 'the model replied while a call was open')
    if (event.type === 'turn.ended' || event.type === 'turn.started')
      assert(open.size === 0, `${event.type} while a call was open`)
  }
  if (next(state).some((effect) => effect.do === 'call-model' || effect.do === 'start-turn'))
    assert(open.size === 0, 'the model would be called while a call is open')
}

function checkPrompt(prompt: readonly PromptMessage[]): void {
  const seen = new Set<string>()
  prompt.forEach((message, index) => {
    if (message.role === 'tool') assert(prompt[index - 1]?.role === 'assistant', 'results that follow no reply')
    if (message.role !== 'assistant') return
    const calls = message.parts.flatMap((part) => (part.type === 'call' && !part.byProvider ? [part.id] : []))
    for (const id of calls) assert(!seen.has(id) && seen.add(id), `the call id ${id} stands twice in the prompt`)
    const after = prompt[index + 1]
    const results = after?.role === 'tool' ? after.results.map((result) => result.id) : []
    assert(calls.join() === results.join(), `calls ${calls.join()} have results ${results.join()}`)
  })
}

/** `accepted` means the log has it; anything else means the log did not change. Each question is answered once. */
function checkVerdicts({ told, log }: Walk): void {
  for (const each of told) {
    const grew = each.seqAfter > each.seqBefore
    assert((each.verdict === 'accepted') === grew, `${each.verdict} but the log ${grew ? 'changed' : 'did not change'}`)
    if (each.verdict === 'accepted')
      assert(
        log.slice(each.seqBefore, each.seqAfter).some((event) => carries(event, each)),
        'accepted, and not in the log',
      )
  }
}

function carries(event: LogEvent, { callId, resolution, by }: Told): boolean {
  if (!('callId' in event) || event.callId !== callId) return false
  if (event.type === 'call.endorsed') return event.by === by
  return 'resolution' in event && JSON.stringify(event.resolution) === JSON.stringify(resolution)
}

function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message)
}
