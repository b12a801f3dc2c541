/** Secrets from environment variables. Only those that the operator lists can be used. */

/** Returns the value of a tenant's secret; undefined if the tenant has none with that name. */
export type Secrets = (tenant: string, name: string) => string | undefined | Promise<string | undefined>

/**
 * Returns the values of the environment variables in `allowed`. If tenants write configurations, give the names by tenant:
 * `{ acme: ['TRACKER_TOKEN'] }`. A list without tenants allows every tenant to use them, so it is only for your own configurations.
 */
export function envSecrets(
  allowed: readonly string[] | Readonly<Record<string, readonly string[]>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Secrets {
  const forAll = Array.isArray(allowed) ? new Set<string>(allowed) : undefined
  const byTenant = new Map(forAll ? [] : Object.entries(allowed).map(([tenant, names]) => [tenant, new Set(names)]))
  return (tenant, name) => ((forAll ?? byTenant.get(tenant))?.has(name) ? env[name] : undefined)
}
