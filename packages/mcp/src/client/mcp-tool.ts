/**
 * A server's tool as a tool of ours. The model reads the accepted definition. The current definition decides whether a call
 * needs approval, and an approval is valid for that definition only.
 */
import {
  canonical,
  definitionOf,
  toolDefiner,
  type Approval,
  type CompileJsonSchema,
  type JsonObject,
  type Resumption,
  type Tool,
  type ToolDefinition,
} from '@holdpoint/core'
import { tool, toolError } from 'holdpoint'
import { createHash } from 'node:crypto'
import { readCallState } from './call-state.ts'
import { describeChanges, differences, fingerprintOf, type Definition } from './tool-definition.ts'
import { LIMITS } from './limits.ts'
import { runCall } from './run-call.ts'
import type { AnyServer } from './server-config.ts'
import type { ServerClient } from './server-client.ts'

const NEW =
  'This tool is new: the server added it after its tools were first accepted. Read its description before you approve.'

/** Throws if the definition cannot be a tool. */
export function mcpTool(
  server: ServerClient,
  config: AnyServer,
  definition: Definition,
  compile: CompileJsonSchema | undefined,
): Tool {
  const { visible = false, timeout = '2 minutes', questionTimeout = '7 days' } = config
  const { onLost } = server
  const rule = ruleFor(config, definition.name)
  const shown = fingerprintOf(definition)
  /** The server's current definition. The model was shown `definition`, whatever was accepted or listed since. */
  const current = (): { readonly definition: Definition; readonly fingerprint: string } => {
    const pin = server.pinOf(definition.name)
    return pin?.changed ?? pin ?? { definition, fingerprint: shown }
  }
  const isChanged = (): boolean => current().fingerprint !== shown
  const isNew = (): boolean => server.pinOf(definition.name)?.isNew === true
  const define = compile ? toolDefiner(compile) : tool
  const made = define({
    name: `${server.name}.${definition.name}`,
    description: definition.description,
    input: definition.inputSchema,
    ...(definition.outputSchema && { output: definition.outputSchema }),
    visible,
    streaming: true,
    timeout,
    approvalTimeout: questionTimeout,
    // Polling a task can always be repeated.
    onLost: onLost === 'ask' ? ({ resumed }) => ({ happened: onlyPolled(resumed) ? false : 'unknown' }) : onLost,
    approval: async (context) => {
      await server.refreshTools(0)
      const asked = await (typeof rule === 'function' ? rule(context) : rule)
      // A definition that no person has seen yet is asked about, whatever a rule says.
      const { rules: _rules, ...request } = typeof asked === 'object' ? asked : {}
      if (isChanged())
        return { ...request, required: true, reason: describeChanges(differences(definition, current().definition)) }
      return isNew() ? { ...request, required: true, reason: NEW } : asked
    },
    run: async (context) => {
      // A call that was sent already continues.
      if (context.resumed) return runCall(server, definition, context)
      // The server may have changed the tool since the approval, which may be days ago.
      const problem = await server.refreshTools(isChanged() || isNew() ? 0 : LIMITS.callListMaxAgeMs)
      if (problem !== undefined) return toolError(problem)
      if (server.pinOf(definition.name)?.gone)
        return toolError(`The MCP server "${server.name}" no longer has this tool, so nothing was sent.`)
      return context.call.fingerprint === currentFingerprint()
        ? runCall(server, definition, context)
        : toolError(
            `The MCP server "${server.name}" changed this tool after the call was allowed, so nothing was sent. Call it again to have the change approved.`,
          )
    },
  })
  const currentFingerprint = (): string =>
    createHash('sha256')
      .update(canonical([made.fingerprint, current().fingerprint]))
      .digest('hex')
  return Object.defineProperties(
    { ...made },
    {
      fingerprint: { enumerable: true, get: currentFingerprint },
      definition: { enumerable: true, get: () => displayedDefinition(server, current().definition) },
      definitionBefore: {
        enumerable: true,
        get: () => (isChanged() ? displayedDefinition(server, definition) : undefined),
      },
    },
  )
}

type Rule = Exclude<Approval<JsonObject>, string>

function ruleFor({ approval = 'auto', approvalByTool = {} }: AnyServer, name: string): Rule {
  const rule = (Object.hasOwn(approvalByTool, name) ? approvalByTool[name] : undefined) ?? approval
  return typeof rule === 'string' ? rule === 'required' : rule
}

function displayedDefinition({ name, at }: ServerClient, definition: Definition): ToolDefinition {
  const { description, inputSchema, outputSchema, annotations, task } = definition
  return {
    ...definitionOf(description, 'server', inputSchema, outputSchema),
    server: { name, at },
    ...(annotations && { annotations }),
    ...(task && { task }),
  }
}

function onlyPolled(resumed: Resumption | undefined): boolean {
  const state = readCallState(resumed?.state)
  return state?.at === 'task' || (state?.at === 'answered' && state.task !== undefined)
}
