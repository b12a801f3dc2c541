/** One PostgreSQL for a whole run of vitest: started when the run starts, and shared by all its files, which use schemas of their own. */
import type { TestProject } from 'vitest/node'
import { postgresForTests } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl?: string
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await postgresForTests()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
