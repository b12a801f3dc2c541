import { userOf } from '../../lib/login.ts'

export function GET(request: Request): Response {
  return Response.json(userOf(request.headers.get('cookie')) ?? null)
}
