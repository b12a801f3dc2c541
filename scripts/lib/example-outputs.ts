/** What the examples printed when `npm run examples` ran them, so that the check of the documents need not run them again. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './workspace.ts'

/** By the path of the program. A program that failed is not among them. */
export type Outputs = Readonly<Record<string, string>>

const file = join(root, '.cache/examples.json')

export function outputsOfExamples(): Outputs {
  return JSON.parse(readFileSync(file, 'utf8')) as Outputs
}

/** Without outputs, the ones of an earlier run are removed. */
export function keepOutputs(outputs?: Outputs): void {
  rmSync(file, { force: true })
  mkdirSync(dirname(file), { recursive: true })
  if (outputs !== undefined) writeFileSync(file, JSON.stringify(outputs))
}
