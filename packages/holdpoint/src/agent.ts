import { defineAgent, type Agent, type AgentOptions, type Ports } from '@holdpoint/core'
import { nodePorts } from './node-ports.ts'

/** An agent on Node. `ports` replaces time and randomness, for tests and simulations. */
export function agent(options: AgentOptions & { readonly ports?: Partial<Ports> }): Agent {
  const { ports, ...rest } = options
  return defineAgent(rest, { ...nodePorts, ...ports })
}
