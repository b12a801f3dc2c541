/** A gateway with tools for MCP clients, to be killed. Arguments: its file and its port. */
import { openStore } from 'holdpoint'
import { startServer } from '../test-server.ts'

const [, , file = '', port = '0'] = process.argv
const { url } = await startServer(await openStore(file), { port: Number(port) })
process.stdout.write(`${url}\n`)
