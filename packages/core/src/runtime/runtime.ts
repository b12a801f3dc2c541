/** A runtime with everything: conversations, spaces and autonomous agents. See `ConversationRuntime` for conversations. */
import { AutonomousAgents } from './autonomous-agents.ts'
import { checkTenant } from './check-request.ts'
import { checkRuntimeOptions } from './check-runtime.ts'
import { ConversationRuntime } from './conversation-runtime.ts'
import { Engine } from './engine.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { SpaceExtension } from './space-extension.ts'
import { Spaces } from './spaces.ts'

export class Runtime extends ConversationRuntime {
  /** Where people and agents talk. */
  readonly spaces: Spaces
  /** Agents that act by themselves. */
  readonly agents: AutonomousAgents
  readonly #engine: Engine
  readonly #extension: SpaceExtension

  private constructor(engine: Engine, extension: SpaceExtension, tenant: string) {
    super(engine, tenant)
    this.#engine = engine
    this.#extension = extension
    this.spaces = new Spaces(engine, extension.writer, tenant)
    this.agents = new AutonomousAgents(engine, extension.writer, tenant)
  }

  static override async open(options: RuntimeOptions): Promise<Runtime> {
    checkRuntimeOptions('A runtime', options)
    let extension: SpaceExtension | undefined
    const engine = await Engine.start(options, (started) => (extension = new SpaceExtension(started)))
    return new Runtime(engine, extension ?? new SpaceExtension(engine), '')
  }

  /** The same runtime for one tenant: it sees nothing of any other. */
  override tenant(name: string): Runtime {
    return new Runtime(this.#engine, this.#extension, checkTenant(name))
  }
}
