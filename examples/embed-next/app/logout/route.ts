import { logOut } from '../../lib/login.ts'

export function POST(request: Request): Response {
  logOut(request.headers.get('cookie'))
  return new Response(null, { status: 204 })
}
