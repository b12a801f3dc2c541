/** Builds the console into the gateway's package, if it is missing or older than its sources. */
import { buildConsole } from './lib/console.ts'

await buildConsole()
