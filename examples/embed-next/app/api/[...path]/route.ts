import { assistant } from '../../../lib/assistant.ts'

const answer = async (request: Request): Promise<Response> => (await assistant()).gateway.fetch(request)

export const GET = answer
export const POST = answer
export const PUT = answer
export const DELETE = answer
