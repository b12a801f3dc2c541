/**
 * Runs the same random commands on several stores. Their results and their final contents must be equal. The first store is the
 * reference: use the memory store.
 *
 *   await storeDifferential({ memory, mine }, { seeds: [1, 2, 3] })
 */
import { AssertionError } from 'node:assert'
import type { PendingQuery } from '@holdpoint/core'
import { testPorts } from '../../manual-clock.ts'
import { textOf } from '../expect.ts'
import type { StorePlace } from '../scene.ts'
import { answerOf, begin, subjectOn, type Subject } from './answer-of.ts'
import type { Command } from './command.ts'
import { Known } from './known.ts'
import { randomCommand } from './random-commands.ts'

export interface DifferentialOptions {
  /** One run for each seed. All runs use the same stores, with different names. */
  readonly seeds: Iterable<number>
  /** Number of commands per run. Default: 60. */
  readonly commands?: number
}

/** How often each command ran, and how often each result came. Runs without a conflict would check little. */
export type DifferentialCount = Readonly<Record<string, number>>

export async function storeDifferential(
  places: Readonly<Record<string, StorePlace>>,
  { seeds, commands = 60 }: DifferentialOptions,
): Promise<DifferentialCount> {
  const subjects = await Promise.all(Object.entries(places).map(([name, place]) => subjectOn(name, place)))
  const count: Record<string, number> = {}
  try {
    for (const seed of seeds) await oneRun(subjects, seed, commands, count)
    return count
  } finally {
    await Promise.all(subjects.flatMap(({ handles }) => handles.map((store) => store.close())))
  }
}

async function oneRun(
  subjects: readonly Subject[],
  seed: number,
  commands: number,
  count: Record<string, number>,
): Promise<void> {
  const given: Command[] = []
  const ask = async (command: Command): Promise<unknown> => {
    given.push(command)
    const answers = await Promise.all(subjects.map((subject) => answered(subject, command)))
    const texts = answers.map(textOf)
    if (new Set(texts).size > 1) throw differs(seed, given, subjects, texts)
    tally(count, command, answers[0])
    return answers[0]
  }

  await Promise.all(subjects.map(begin))
  const { random } = testPorts({ seed })
  const known = new Known(seed)
  for (let nth = 0; nth < commands; nth++) {
    const command = randomCommand(random, known)
    known.learn(command, await ask(command))
  }
  await Promise.all(inventory(known).map(ask))
}

/** Queries for everything in the store, at the end of a run. */
function inventory({ addresses, tenants, agents, calls, keys, labels, notes, documents }: Known): Command[] {
  const any = { labels: labels.slice(0, 2), conversationLabels: labels.slice(0, 1) }
  const pending = (query: Omit<PendingQuery, 'limit'>): Command => ({
    handle: 1,
    ask: 'pending',
    goOn: false,
    query: {
      ...query,
      any,
      limit: 1e3,
    },
  })
  return [
    ...addresses.flatMap((from): Command[] => [
      { handle: 0, ask: 'read', from, after: 0, limit: 1000 },
      { handle: 1, ask: 'load', from },
      { handle: 1, ask: 'batches', from },
      pending({ tenant: from.tenant, conversationId: from.id }),
      ...calls.flatMap((callId): Command[] => [
        pending({ tenant: from.tenant, callId }),
        { handle: 0, ask: 'readCall', from, callId },
        { handle: 1, ask: 'findCall', tenant: from.tenant, callId },
      ]),
      ...keys.map((key): Command => ({ handle: 1, ask: 'findKey', from, key })),
      ...notes.flatMap((kind) =>
        [{ limit: 1000 }, { limit: 1 }, { limit: 1, before: 2 }].map((query): Command => ({
          handle: 0,
          ask: 'notes',
          from,
          query: { kind, ...query },
        })),
      ),
    ]),
    ...tenants.flatMap((tenant): Command[] => [
      { handle: 0, ask: 'list', query: { tenant, limit: 1000 }, goOn: false },
      { handle: 1, ask: 'pending', query: { tenant, limit: 1000 }, goOn: false },
      { handle: 0, ask: 'usage', tenant },
      ...labels.flatMap((label): Command[] => [
        { handle: 0, ask: 'list', query: { tenant, labels: [label], limit: 1000 }, goOn: false },
        ...[
          { labels: [label], conversationLabels: [] },
          { labels: [], conversationLabels: [label] },
        ].map((any): Command => ({ handle: 1, ask: 'pending', query: { tenant, any, limit: 1000 }, goOn: false })),
      ]),
      { handle: 0, ask: 'documents', query: { tenant, kind: 'agent', limit: 1000 }, goOn: false },
      ...documents.flatMap((id): Command[] => [
        { handle: 1, ask: 'get', tenant, kind: 'agent', id },
        { handle: 1, ask: 'documents', query: { tenant, kind: 'agent', prefix: id, limit: 1000 }, goOn: false },
      ]),
    ]),
    { handle: 0, ask: 'due', query: { agents, limit: 1000 } },
    { handle: 1, ask: 'due', query: { limit: 1000 } },
  ]
}

async function answered(subject: Subject, command: Command): Promise<unknown> {
  try {
    return await answerOf(subject, command)
  } catch (error) {
    return { threw: error instanceof Error ? error.message : String(error) }
  }
}

function tally(count: Record<string, number>, { ask }: Command, answer: unknown): void {
  const result = typeof answer === 'object' && answer !== null && 'result' in answer ? `: ${String(answer.result)}` : ''
  const suffix = ask === 'takeOver' ? (answer === undefined ? ': nothing to take' : ': taken') : ''
  const name = `${ask}${result}${suffix}`
  count[name] = (count[name] ?? 0) + 1
}

function differs(
  seed: number,
  given: readonly Command[],
  subjects: readonly Subject[],
  answers: readonly string[],
): AssertionError {
  const [last, ...before] = given.toReversed()
  const lines = [
    `The stores differ with seed ${seed}, at command ${given.length}: ${JSON.stringify(last)}`,
    ...subjects.map(({ name }, n) => `  ${name} answers ${answers[n]}`),
    'Before that, newest first:',
    ...before.slice(0, 15).map((command) => `  ${JSON.stringify(command)}`),
  ]
  return new AssertionError({ message: lines.join('\n'), operator: 'storeDifferential' })
}
