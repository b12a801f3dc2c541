export { runCli } from './run-cli.ts'
export { type Io } from './io.ts'
