import type { RuntimeOptions } from '../runtime/runtime-options.ts'
import type { Engine } from './engine.ts'
import { FileCollector } from './file-collector.ts'
import { Retention } from './retention.ts'
import type { Pass } from './sweeper.ts'

/** The work on the whole store that an engine does in the background. Only a process that drives collects files. */
export function passesOf(engine: Engine, options: RuntimeOptions): readonly (Pass | undefined)[] {
  const { drive = true } = options
  return [
    new Retention(engine, engine.agents, options),
    engine.headSigner,
    drive ? new FileCollector(engine) : undefined,
  ]
}
