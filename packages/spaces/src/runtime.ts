/** A runtime with conversations, spaces and autonomous agents. `ConversationRuntime` has the methods for conversations. */
import { AutonomousAgents } from './agent/autonomous-agents.ts'
import { checkTenant } from '@holdpoint/runtime/internal/runtime/check-request'
import { checkRuntimeOptions } from '@holdpoint/runtime/internal/runtime/check-runtime'
import { ConversationRuntime } from '@holdpoint/runtime/internal/runtime/conversation-runtime'
import { Engine } from '@holdpoint/runtime/internal/node/engine'
import type { RuntimeOptions } from '@holdpoint/runtime/internal/runtime/runtime-options'
import { SpaceExtension } from './space-extension.ts'
import { Spaces } from './space/spaces.ts'

export class Runtime extends ConversationRuntime {
  /** Spaces, in which people and agents talk. */
  readonly spaces: Spaces
  /** Autonomous agents. */
  readonly agents: AutonomousAgents
  readonly #engine: Engine
  readonly #extension: SpaceExtension

  private constructor(engine: Engine, extension: SpaceExtension, tenant: string, hears: string | undefined) {
    super(engine, tenant, hears)
    this.#engine = engine
    this.#extension = extension
    this.spaces = new Spaces(engine, extension.writer, tenant)
    this.agents = new AutonomousAgents(engine, extension.writer, tenant)
  }

  static override async open(options: RuntimeOptions): Promise<Runtime> {
    checkRuntimeOptions('A runtime', options)
    let extension: SpaceExtension | undefined
    const engine = await Engine.start(options, (started) => (extension = new SpaceExtension(started)))
    return new Runtime(engine, extension ?? new SpaceExtension(engine), '', undefined)
  }

  /** The same runtime for one tenant. It has no access to other tenants. */
  override tenant(name: string): Runtime {
    return new Runtime(this.#engine, this.#extension, checkTenant(name), name)
  }
}
