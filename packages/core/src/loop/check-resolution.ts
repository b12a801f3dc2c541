/**
 * Answers come from strangers: people, browsers, workers. Before one is taken it is compared with what the tool says
 * it takes and gives, and an edited input gets the hash that the approval will be bound to.
 */
import { isObject, toJson, type Json } from '../json.ts'
import { inputHash } from '../tool/fingerprint.ts'
import type { Tool } from '../tool/tool.ts'
import { openHold } from '../turn/decide.ts'
import type { Resolve, ResolveDecision } from '../turn/resolve.ts'
import type { Call } from '../turn/turn-state.ts'
import { checkInput } from './dispatch.ts'
import { checkOutput } from './run-call.ts'
import { prepare, type World } from './world.ts'

/** What is wrong with the form of a resolution, or undefined. */
export function shapeOf(resolution: unknown): string | undefined {
  if (!isObject(resolution)) return 'A resolution is an object with a "kind": approve, reject or answer.'
  switch (resolution['kind']) {
    case 'approve':
      return undefined
    case 'reject':
      return ['string', 'undefined'].includes(typeof resolution['reason']) ? undefined : 'The "reason" of a rejection is text.'
    case 'answer':
      if ('value' in resolution !== 'error' in resolution) return typeof (resolution['error'] ?? '') === 'string' ? undefined : 'The "error" of an answer is text.'
      return 'An answer has either a "value" or an "error".'
    default:
      return `There is no resolution of kind ${JSON.stringify(resolution['kind'])}: use approve, reject or answer.`
  }
}

export async function checkResolution(call: Call, command: Resolve, world: World): Promise<Resolve | ResolveDecision> {
  const { resolution } = command
  if (resolution.kind === 'reject') return command
  if (resolution.kind === 'answer' && 'error' in resolution) return command
  if (resolution.kind === 'approve' && resolution.input === undefined) return command
  const tool = (await prepare(world)).tools.get(call.name)
  if (!tool) return invalid(`"${call.name}" is not among the tools here, so the answer cannot be checked.`)
  if (resolution.kind === 'answer') return checkAnswer(tool, resolution.value, command)
  return checkEdit(call, tool, resolution.input ?? null, command)
}

async function checkAnswer(tool: Tool, value: Json, command: Resolve): Promise<Resolve | ResolveDecision> {
  const outcome = await checkOutput(tool, value)
  return outcome.ok ? { ...command, resolution: { kind: 'answer', value: outcome.value } } : invalid(outcome.error.message)
}

async function checkEdit(call: Call, tool: Tool, edited: Json, command: Resolve): Promise<Resolve | ResolveDecision> {
  const json = toJson(edited)
  const checked = json.ok ? await checkInput(tool, json.value) : json
  if (!json.ok || !checked.ok) return invalid(`The edited input does not fit the tool: ${checked.ok ? '' : checked.why}`)
  const editedHash = inputHash(checked.json)
  // An edit that changes nothing is a plain yes.
  if (openHold(call)?.inputHash === editedHash) return { ...command, resolution: { kind: 'approve' } }
  return { ...command, resolution: { kind: 'approve', input: json.value }, editedHash }
}

function invalid(message: string): ResolveDecision {
  return { verdict: 'invalid', message, events: [] }
}
