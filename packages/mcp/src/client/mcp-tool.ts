/**
 * A tool of a server as a tool of ours: its gate, and what a yes is bound to. What the model reads is what was allowed; what
 * the server says of the tool now decides whether somebody must look at a call first, and a yes is to that and nothing else.
 */
import { canonical, type Resumption, type Tool } from '@holdpoint/core'
import { tool, toolError } from 'holdpoint'
import { createHash } from 'node:crypto'
import { stateOf } from './call-state.ts'
import { fingerprintOf, inWords, type Definition } from './definition.ts'
import type { Pin } from './pins.ts'
import { runCall } from './run-call.ts'
import type { AnyServer } from './server-config.ts'
import type { ServerInUse } from './server-in-use.ts'

/** Throws when it cannot be a tool. */
export function mcpTool(server: ServerInUse, config: AnyServer, definition: Definition): Tool {
  const { approval, timeout = '2 minutes', questionTimeout = '7 days' } = config
  const { onLost } = server
  const plain = approval === undefined || approval === 'auto' ? { required: false } : approval
  const pin = (): Pin | undefined => server.pinOf(definition.name)
  const made = tool({
    name: `${server.name}.${definition.name}`,
    description: definition.description,
    input: definition.inputSchema,
    ...(definition.outputSchema && { output: definition.outputSchema }),
    visible: false,
    streaming: true,
    timeout,
    approvalTimeout: questionTimeout,
    // Whoever was only looking how a task is may look again, whatever else is the rule.
    onLost: onLost === 'ask' ? ({ resumed }) => ({ happened: onlyLooked(resumed) ? false : 'unknown' }) : onLost,
    approval: () => {
      const set = plain === 'required' ? { required: true } : plain
      const { changed, changes = [] } = pin() ?? {}
      return changed ? { ...set, required: true, reason: inWords(changes) } : set
    },
    run: async (context) => {
      // What the server was sent already goes on.
      if (context.resumed) return runCall(server, definition, context)
      // A server that changed a tool may change it again: days may lie between the yes to that, and now.
      if (pin()?.changed) await server.listAgain()
      return context.call.fingerprint === fingerprintNow()
        ? runCall(server, definition, context)
        : toolError(
            `The MCP server "${server.name}" changed this tool after the call was let through, so nothing was sent. Call it again, and somebody will look at it.`,
          )
    },
  })
  const pinned = fingerprintOf(definition)
  const fingerprintNow = (): string => {
    const said = pin()?.changed?.fingerprint ?? pinned
    return createHash('sha256')
      .update(canonical([made.fingerprint, said]))
      .digest('hex')
  }
  return Object.defineProperty({ ...made }, 'fingerprint', { enumerable: true, get: fingerprintNow })
}

function onlyLooked(resumed: Resumption | undefined): boolean {
  const state = stateOf(resumed?.state)
  return state?.at === 'task' || (state?.at === 'told' && state.task !== undefined)
}
