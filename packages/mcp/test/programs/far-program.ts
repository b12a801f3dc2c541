/** A gateway with tools for MCP clients, to be killed: its file and its port are given. */
import { openStore } from 'holdpoint'
import { far } from '../far.ts'

const [, , file = '', port = '0'] = process.argv
const { url } = await far(await openStore(file), { port: Number(port) })
process.stdout.write(`${url}\n`)
