import { logIn } from '../../lib/login.ts'

export async function POST(request: Request): Promise<Response> {
  const { id, password } = (await request.json()) as Record<string, unknown>
  const cookie = logIn(id, password)
  if (cookie === undefined) return new Response(null, { status: 401 })
  return new Response(null, { status: 204, headers: { 'set-cookie': cookie } })
}
