/** In the place of the application's own login. */
export function userOf({ headers }: Request): string {
  return headers.get('x-user') ?? 'guest'
}
