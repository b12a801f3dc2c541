/** The order of test files without timings of an earlier run: the longest files start first. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = [
  'test/stores/conformance.test.ts',
  'test/sim.test.ts',
  'packages/mcp/test/conformance/conformance.test.ts',
  'test/stores/differential.test.ts',
  'apps/console/test/screens.test.ts',
  'test/any-context.test.ts',
  'packages/mcp/test/killed.test.ts',
  'test/gateways/two-gateways.test.ts',
  'packages/mcp/test/everything.test.ts',
  'test/gateways/spaces.test.ts',
  'apps/console/test/hostile.test.ts',
  'test/crash/server-away.test.ts',
  'test/gateways/clients-of-a-killed-gateway.test.ts',
  'apps/console/test/spaces.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}
