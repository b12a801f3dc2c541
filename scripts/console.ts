/** Builds the console into the gateway's package, if it is not there or old. */
import { buildConsole } from './lib/console.ts'

await buildConsole()
