/**
 * Runs the tests of the turn machine against one mutant after the other in one vitest process, which reads only the mutated
 * file again. Starting vitest for each mutant took ten times as long as the tests.
 */
import { join } from 'node:path'
import { createVitest, type TestSpecification } from 'vitest/node'
import { root } from './workspace.ts'

const TESTS = 'packages/core/test/turn'
/** Random tests that take seconds. They run only for mutants that all other tests passed, the shortest test first. */
const WALKS = ['skipped.test.ts', 'derive-rows.test.ts', 'random-walk.test.ts']

export interface MachineTests {
  /** Whether a test fails when `source` replaces the file. Without `source`, the file stays as it is. */
  readonly fail: (file: string, source?: string) => Promise<boolean>
  readonly close: () => Promise<void>
}

export async function machineTests(): Promise<MachineTests> {
  const mutant: { file?: string; source?: string } = {}
  const vitest = await createVitest(
    {
      root,
      watch: false,
      include: [`${TESTS}/*.test.ts`],
      setupFiles: ['./scripts/lib/first-failure.ts'],
      // These tests need no database, so the setup of the other tests is left out.
      config: false,
      testTimeout: 60_000,
      // The cache of transformed modules reads files from disk, and would run the original in place of the mutant.
      fsModuleCache: false,
      reporters: [{}],
      pool: 'threads',
      maxWorkers: 1,
      isolate: false,
      bail: 1,
    },
    {
      resolve: { conditions: ['@holdpoint/source'] },
      ssr: { resolve: { conditions: ['@holdpoint/source'] } },
      plugins: [{ name: 'mutant', enforce: 'pre', load: (id) => (id === mutant.file ? mutant.source : undefined) }],
    },
  )
  const all = await vitest.globTestSpecifications()
  const walks = WALKS.map((name) => all.filter(({ moduleId }) => moduleId.endsWith(`/${name}`)))
  if (walks.some((found) => found.length !== 1)) throw new Error(`Not all of ${WALKS.join(', ')} are in ${TESTS}.`)
  const quick = all.filter((each) => !walks.flat().includes(each))
  const failing = async (specifications: TestSpecification[]): Promise<boolean> => {
    const { unhandledErrors, testModules } = await vitest.runTestSpecifications(specifications)
    // The result contains every module that ever ran, including failures of earlier mutants.
    const ran = testModules.filter(({ moduleId }) => specifications.some((each) => each.moduleId === moduleId))
    if (unhandledErrors.length > 0 || ran.some((module) => module.state() === 'failed')) return true
    if (ran.length === specifications.length && ran.every((module) => module.state() === 'passed')) return false
    throw new Error(`Not every test of the machine ran: ${ran.map((module) => module.state()).join(', ')}.`)
  }
  return {
    async fail(file, source) {
      const path = join(root, file)
      Object.assign(mutant, { file: path, source })
      vitest.invalidateFile(path)
      try {
        for (const specifications of [quick, ...walks]) if (await failing(specifications)) return true
        return false
      } finally {
        delete mutant.source
        vitest.invalidateFile(path)
      }
    },
    close: () => vitest.close(),
  }
}
