export { postgresStore } from './postgres-store.ts'
export { type PostgresStoreOptions } from './settings.ts'
export { type Notifier, type NotifierContext, type OpenNotifier } from './notifier.ts'
