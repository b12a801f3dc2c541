export { postgresStore } from './postgres-store.ts'
export { type PostgresStoreOptions } from './settings.ts'
