/** Secrets from the environment of the process: those that the operator lists, and no others. */

/** The value of a secret of a tenant; undefined when the tenant has none of that name. */
export type Secrets = (tenant: string, name: string) => string | undefined | Promise<string | undefined>

/**
 * Answers for the environment variables that `allowed` names. Give the names by tenant where tenants write
 * configurations: `{ acme: ['TRACKER_TOKEN'] }`. A plain list is for every tenant, so it is for what only your own code
 * refers to.
 */
export function envSecrets(
  allowed: readonly string[] | Readonly<Record<string, readonly string[]>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Secrets {
  const forAll = Array.isArray(allowed) ? new Set<string>(allowed) : undefined
  const byTenant = new Map(forAll ? [] : Object.entries(allowed).map(([tenant, names]) => [tenant, new Set(names)]))
  return (tenant, name) => ((forAll ?? byTenant.get(tenant))?.has(name) ? env[name] : undefined)
}
