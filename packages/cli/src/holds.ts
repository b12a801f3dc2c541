/** `holdpoint holds`: list, show, approve, reject, answer. */
import { visible } from '@holdpoint/channels'
import type { Client, HoldRow, ResolveResult } from '@holdpoint/client'
import type { Json } from 'holdpoint'
import { askForm } from './ask-form.ts'
import type { Command } from './command.ts'
import { holdFacts } from './hold-facts.ts'
import { EXIT, UsageError, type ExitCode } from './io.ts'
import type { Output } from './output.ts'
import { table } from './output.ts'
import { actor, jsonOf, named, wholeNumber, withPlace } from './with-place.ts'

export async function holds(command: Command): Promise<ExitCode> {
  const [what = 'list', ...args] = command.args
  switch (what) {
    case 'list':
      return withPlace(command, (client) => list(client, args, command))
    case 'show':
      return withPlace(command, (client) => show(client, args, command))
    case 'approve':
    case 'reject':
    case 'answer':
      return withPlace(command, (client) => decide(client, what, args, command))
  }
  throw new UsageError(`There is no "holds ${what}": there are list, show, approve, reject and answer.`)
}

async function list(client: Client, args: readonly string[], { options, out }: Command): Promise<ExitCode> {
  named(args)
  const { mine, agent, tool, after } = options
  const limit = wholeNumber('limit', options.limit)
  const page = await client.holds.list({
    ...(mine && { mine }),
    ...(agent !== undefined && { agent }),
    ...(tool !== undefined && { tool }),
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
    ...actor(options),
  })
  const rows = page.items.map(({ conversationId, callId, agent: from, name, kind, expiresAt }) => [
    conversationId,
    callId,
    from,
    name,
    kind,
    new Date(expiresAt).toISOString(),
  ])
  const titles = ['CONVERSATION', 'CALL', 'AGENT', 'TOOL', 'KIND', 'UNTIL']
  const lines = rows.length === 0 ? ['No open holds.'] : table([titles, ...rows])
  out.result(page, page.next === undefined ? lines : [...lines, `More: --after ${page.next}`])
  return EXIT.ok
}

async function show(client: Client, args: readonly string[], { options, out }: Command): Promise<ExitCode> {
  const { CONVERSATION, CALL } = named(args, 'CONVERSATION', 'CALL')
  const hold = await client.holds.show(CONVERSATION, CALL, actor(options))
  if (!hold) return notOpen(out, CONVERSATION, CALL)
  out.result(hold, describe(hold, out))
  return EXIT.ok
}

async function decide(
  client: Client,
  what: 'approve' | 'reject' | 'answer',
  args: readonly string[],
  { options, out, io }: Command,
): Promise<ExitCode> {
  const { CONVERSATION, CALL } = named(args, 'CONVERSATION', 'CALL')
  const { reason, input, value } = options
  const hold = wholeNumber('hold', options.hold)
  const how = { ...actor(options), ...(hold !== undefined && { hold }) }
  if (what === 'approve') {
    const changed = input === undefined ? {} : { input: jsonOf('input', input) as Json }
    return verdict(await client.holds.approve(CONVERSATION, CALL, { ...how, ...changed }), out)
  }
  if (what === 'reject') return verdict(await client.holds.reject(CONVERSATION, CALL, reason, how), out)
  if (value !== undefined)
    return verdict(await client.holds.answer(CONVERSATION, CALL, jsonOf('value', value), how), out)
  if (!io.stdin.isTTY) throw new UsageError('Give the answer with --value, as JSON. A form needs a terminal.')
  const row = await client.holds.show(CONVERSATION, CALL, actor(options))
  if (!row) return notOpen(out, CONVERSATION, CALL)
  out.note(describe(row, out).join('\n'))
  const answer = await askForm(row.answerSchema, io)
  // Not a hold of the same call that opened while the form was filled in.
  return verdict(await client.holds.answer(CONVERSATION, CALL, answer, { ...how, hold: hold ?? row.nth }), out)
}

function verdict(result: ResolveResult, out: Output): ExitCode {
  const accepted = result.verdict === 'accepted' || result.verdict === 'duplicate'
  const words = result.verdict === 'accepted' ? '' : `: ${visible(result.message)}`
  out.result(result, [(accepted ? out.good(result.verdict) : out.bad(result.verdict)) + words])
  return accepted ? EXIT.ok : EXIT.refused
}

function notOpen(out: Output, conversation: string, call: string): ExitCode {
  out.result({ error: 'hold-not-open' }, [
    `Call ${visible(call)} in conversation "${visible(conversation)}" is not held.`,
  ])
  return EXIT.refused
}

/** With all of its arguments: a person decides on what is shown. */
function describe(hold: HoldRow, out: Output): readonly string[] {
  const { name, input, comments } = hold
  return [
    out.bold(visible(name)),
    ...holdFacts(hold).map(([title, text]) => `${out.dim(title)}: ${visible(text)}`),
    visible(JSON.stringify(input, null, 2)),
    ...(comments ?? []).map(({ by, text }) => visible(`${by ?? 'someone'}: ${text}`)),
  ]
}
