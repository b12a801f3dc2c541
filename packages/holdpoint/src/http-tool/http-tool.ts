import { nodeNetwork } from './connect.ts'
import { httpToolOn } from './http-tool-on.ts'
import type { HttpTool } from './http-tool-options.ts'

/** Declares a tool that calls a web service. */
export const httpTool: HttpTool = httpToolOn(nodeNetwork)
