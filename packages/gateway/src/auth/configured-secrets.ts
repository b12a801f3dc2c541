import type { GatewayOptions } from '../gateway-options.ts'

/** The secrets among the settings of sign-in. They are redacted from everything that leaves the process. */
export function configuredSecrets({ keys = [], tokens, openId }: NonNullable<GatewayOptions['auth']>): string[] {
  return [...keys.map(({ key }) => key), ...[tokens?.secret ?? [], openId?.clientSecret ?? []].flat()]
}
